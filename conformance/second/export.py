"""Steps as plain JSON: nothing left out, every class named by `is`, every value a string, number, list or object."""

from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

from keepfact.spec.vocabulary import EventView, Observation, RunView, Step


def exported(step: Step) -> dict[str, Any]:
    """One JSON object: before, cause, outcome, after, what is true outside, what was answered before, who asked."""
    return {
        "before": _observation(step.before),
        "cause": _named(step.cause),
        "outcome": _named(step.outcome),
        "after": _observation(step.after),
        "truth_before": plain(step.truth_before),
        "truth": plain(step.truth),
        "repeats": _named(step.repeats),
        "session": plain(step.session),
    }


def plain(value: Any) -> Any:
    """The value in the words of JSON; what is frozen and the same gives the very same object, to be read only."""
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, EventView | RunView):
        return _once(value)
    if is_dataclass(value):
        return _fields(value)
    raise TypeError(f"expected a value of the vocabulary, but got {value!r}")


@lru_cache(maxsize=4096)
def _once(value: EventView | RunView) -> dict[str, Any]:
    # Most runs and events of a step are those of the step before it: made once, they are also compared at once.
    return _fields(value)


@lru_cache(maxsize=256)
def _observation(observation: Observation) -> dict[str, Any]:
    return _fields(observation)


def _named(value: Any) -> dict[str, Any] | None:
    return None if value is None else {"is": type(value).__name__, **_fields(value)}


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
