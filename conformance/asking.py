"""Asks a system through its adapter: a broken adapter is told as one, and never becomes a verdict on the system."""

import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast, get_type_hints

from pydantic import ConfigDict, TypeAdapter, ValidationError

from keepfact.spec.vocabulary import (
    Asking,
    Command,
    Drift,
    Observation,
    Outcome,
    RunId,
    Session,
)

from .errors import KeepfactError
from .patience import VARIABLE, TookTooLong, patience_seconds, patiently
from .system import BeginsAfresh, Drifts, HasSessions, Restarts, System
from .words import cause_in_words

# Strict, and of every instance anew: a string where an enum belongs would show only much later, as something else.
_STRICT = ConfigDict(strict=True, revalidate_instances="always")
# Each stands in a tuple of its own, since what is a dataclass itself takes no settings.
_OUTCOME: TypeAdapter[tuple[Outcome]] = TypeAdapter(tuple[Outcome], config=_STRICT)
_VERSIONS = TypeAdapter(tuple[dict[str, str]], config=_STRICT)
_SHOWN: dict[str, TypeAdapter[Any]] = {
    name: TypeAdapter(tuple[kind], config=_STRICT)  # type: ignore[valid-type] # a type, known at run time
    for name, kind in get_type_hints(Observation).items()
}
"""Of each field of an Observation."""

_TOLD_MAX, _CHARACTERS_MAX = 3, 120


class AdapterError(KeepfactError):
    """The adapter did what no adapter may; the message names it, what it was asked, and what to do."""


def begin(system: System) -> None:
    """Have the system start afresh, if it can; one that keeps nothing beyond one run need not."""
    if hasattr(system, "begin"):
        with _asking(system, "begin afresh"):
            cast(BeginsAfresh, system).begin()


def perform(system: System, command: Command, session: Session | None = None) -> Outcome:
    """Have the system do one command. AdapterError if its adapter raises, or answers with something else."""
    said = cause_in_words(command if session is None else Asking(session, command))
    asked = f"perform {type(command).__name__}, {said}"
    with _asking(system, asked):
        outcome = _performed(system, command, session)
    if _wrong(_OUTCOME, outcome, "outcome"):
        raise AdapterError(
            f"expected the adapter of {system.name} to {asked}, and to answer Done, Refused with a Reason, or Lost, "
            f"but it answered {outcome!r}. Put that right in the adapter."
        )
    return outcome


def _performed(system: System, command: Command, session: Session | None) -> Outcome:
    return system.perform(command) if session is None else cast(HasSessions, system).perform_in(session, command)


def observe(system: System, runs: Sequence[RunId], known: Observation) -> Observation:
    """Have the system show these runs. What is not `known` already is checked to be in the spec's vocabulary."""
    asked = f"observe {', '.join(runs) or 'no runs'}"
    with _asking(system, asked):
        shown = system.observe(runs)
    if wrong := _wrong_in(shown, runs, known):
        raise AdapterError(
            f"expected the adapter of {system.name} to {asked}, as an Observation in the words of "
            f"keepfact.spec.vocabulary, but {wrong}. Put that right in the adapter."
        )
    return shown


def tick(system: System, seconds: int) -> None:
    """Have the system move its store's clock on."""
    with _asking(system, f"tick {seconds} seconds"):
        system.tick(seconds)


def drift(system: System, what: Drift) -> None:
    """Have one of the things change that approvals are bound to."""
    with _asking(system, f"drift {what}"):
        cast(Drifts, system).drift(what)


def restart(system: System) -> None:
    """Have the system's processes stop and start again."""
    with _asking(system, "restart"):
        cast(Restarts, system).restart()


def versions(system: System) -> dict[str, str]:
    """Name and version of what is under test and below it."""
    with _asking(system, "say its versions"):
        named = system.versions()
    if wrong := _wrong(_VERSIONS, named, "versions"):
        raise AdapterError(f"expected the adapter of {system.name} to give names and versions as text, but {wrong}.")
    return named


def _wrong_in(shown: object, runs: Sequence[RunId], known: Observation) -> str | None:
    if not isinstance(shown, Observation):
        return f"it gave {shown!r}"
    if shown == known:
        return None
    for name, adapter in _SHOWN.items():
        given = getattr(shown, name)
        if given != getattr(known, name) and (wrong := _wrong(adapter, given, name)):
            return wrong
    names = [run.run for run in shown.runs]
    return None if names == [run for run in runs if run in names] else f"it gave {', '.join(names)}, in this order"


def close(system: System) -> None:
    """Have the system stop and remove what it started."""
    with _asking(system, "close"):
        system.close()


@contextmanager
def _asking(system: System, asked: str) -> Iterator[None]:
    seconds = patience_seconds()
    try:
        with patiently(asked, seconds):
            yield
    except KeepfactError:
        raise
    except TookTooLong as error:
        raise AdapterError(
            f"expected the adapter of {system.name} to {asked}, but it had not answered after {seconds:g} seconds. "
            f"Have it answer Lost when its own patience is over; if it needs longer, set {VARIABLE}."
        ) from error
    except (Exception, SystemExit) as error:  # an adapter that exits must not decide our exit code
        raise AdapterError(
            f"expected the adapter of {system.name} to {asked}, but it raised {type(error).__name__}: {error} "
            f"({place_of(error)}). A timeout or a cut connection is Lost; what cannot be stored or read is "
            "Refused(MALFORMED), or UNSTORABLE for an answer or a body; put anything else right in the adapter."
        ) from error


def place_of(error: BaseException) -> str:
    """Where it was raised: file and line."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(last.filename).name} line {last.lineno}"


def _wrong(adapter: TypeAdapter[Any], value: object, name: str) -> str | None:
    """The first things that are not as their type says, and where below `name`; None if all is well."""
    try:
        adapter.validate_python((value,))
    except ValidationError as error:
        errors = error.errors()
        told = [f"at {_place(name, one['loc'][1:])} it gave {_short(one['input'])} ({one['msg']})" for one in errors]
        more = f", and {len(told) - _TOLD_MAX} more are wrong" if len(told) > _TOLD_MAX else ""
        return "; ".join(told[:_TOLD_MAX]) + more
    return None


def _place(name: str, below: Sequence[int | str]) -> str:
    """As Python writes it: `runs[0].state`."""
    return name + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in below)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _CHARACTERS_MAX else f"{text[:_CHARACTERS_MAX]}…"
