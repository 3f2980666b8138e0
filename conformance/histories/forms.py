"""The forms of a history: a state, as spec/schemas/history.json says, or a step, as spec/schemas/step.json does."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast, get_args

from keepfact.conformance.answers import Answers
from keepfact.conformance.strict import Form, MisreadError
from keepfact.spec.vocabulary import Asked, Cause, Observation, Outcome, Session, Step, Truth

from .lines import short, wrong

_NEEDED, _OPTIONAL = ("before", "cause", "outcome", "after"), ("truth_before", "truth", "repeats", "session")


class TruthUnknownError(Exception):
    """A rule asked what was true outside, and nobody recorded that."""


class _Unknown:
    """Stands where the truth would. It is the same before and after, so that nothing seems to have happened there."""

    @property
    def calls(self) -> None:
        raise TruthUnknownError("what happened outside was not recorded")

    tool_release = calls

    def of(self, call: str) -> None:
        raise TruthUnknownError("what happened outside was not recorded")


UNKNOWN = cast(Truth, _Unknown())


@dataclass
class Reader:
    """Reads the values of one file, which are all of one form. Steps follow one another."""

    path: Path
    number: int = 0
    _answers: Answers = field(default_factory=Answers)
    _last: tuple[Any, Observation] | None = None

    def read(self, number: int, value: Any) -> Observation | Step:
        """What the value on this line says. HistoryError with the path to the first thing that is not as it must be."""
        self.number = number
        if not isinstance(value, dict) or not ({"runs", "cause"} & value.keys()):
            self._wrong("", "an object with `runs` (a state) or with `cause` (a step)", value)
        return self._step(value) if "cause" in value else self._observation(value, "")

    def _step(self, value: dict[str, Any]) -> Step:
        for name in _NEEDED:
            if name not in value:
                self._wrong("", f"a step with {', '.join(_NEEDED)}", f"no {name}", is_said=True)
        if unknown := sorted(value.keys() - {*_NEEDED, *_OPTIONAL}):
            self._wrong("", f"a step with {', '.join((*_NEEDED, *_OPTIONAL))}", unknown[0])
        before, after = self._observation(value["before"], "before"), self._observation(value["after"], "after")
        cause, outcome = self._named(_CAUSES, value["cause"], "cause"), self._outcome(value, "outcome")
        if isinstance(cause, Asked) != (outcome is not None):
            expected = "an outcome of a command" if outcome is None else "no outcome of what happens by itself"
            self._wrong("outcome", f"{expected}, {type(cause).__name__}", value["outcome"])
        repeats = self._outcome(value, "repeats") or self._answers.before(cause)
        self._answers.remember(cause, outcome)
        truth_before, truth = (self._optional(_TRUTH, value, name) or UNKNOWN for name in ("truth_before", "truth"))
        if (truth_before is UNKNOWN) != (truth is UNKNOWN):
            self._wrong("truth", "truth and truth_before, both or neither", value.get("truth"))
        session = self._optional(_SESSION, value, "session")
        return Step(before, cause, outcome, after, truth_before, truth, repeats, session)

    def follow(self, last: Step | None, step: Step) -> None:
        """HistoryError if the step does not begin as the one before it has ended."""
        if last is not None and last.after != step.before:
            wrong(
                self.path,
                self.number,
                "each step to begin with what was there after the one before it",
                "`before` is not the `after` of the last one. What happens between commands is a step, too: Tick, "
                "Restarted, WorkerRan",
            )

    def _observation(self, value: Any, at: str) -> Observation:
        if self._last is None or self._last[0] != value:
            self._last = value, self._read(_OBSERVATION, value, at)
        return self._last[1]

    def _outcome(self, value: dict[str, Any], name: str) -> Outcome | None:
        said = value.get(name)
        return None if said is None else cast(Outcome, self._named(_OUTCOMES, said, name))

    def _optional(self, form: Form, value: dict[str, Any], name: str) -> Any:
        return None if value.get(name) is None else self._read(form, value[name], name)

    def _named(self, classes: dict[str, Form], value: Any, at: str) -> Any:
        name = str(value.get("is")) if isinstance(value, dict) else ""
        if name not in classes:
            self._wrong(at, f"an object whose `is` is one of {', '.join(sorted(classes))}", value)
        return self._read(classes[name], {key: item for key, item in value.items() if key != "is"}, at)

    def _read(self, form: Form, value: Any, at: str) -> Any:
        try:
            return form.read(json.dumps(value).encode())
        except MisreadError as error:
            self._wrong(
                ".".join(filter(None, (at, error.at))),
                error.expected.removeprefix("Input should be ").replace("Unexpected keyword argument", "no such field"),
                error.seen,
            )

    def _wrong(self, at: str, expected: str, seen: object, *, is_said: bool = False) -> Any:
        place = f" at {at}" if at else ""
        wrong(
            self.path,
            self.number,
            f"{short(expected, str, 300)}{place}",
            f"it has {seen}" if is_said else f"it is {short(seen)}",
        )


_OBSERVATION, _TRUTH, _SESSION = map(Form, (Observation, Truth, Session))
_CAUSES = {cls.__name__: Form(cls) for cls in get_args(Cause)}
_OUTCOMES = {cls.__name__: Form(cls) for cls in get_args(Outcome)}


def forms(reader: Reader, found: Iterator[tuple[int, Any]]) -> Iterator[tuple[int, Observation | Step]]:
    """Everything in a file, as what it is, with its line; HistoryError where one form follows another."""
    last: Observation | Step | None = None
    for number, value in found:
        read = reader.read(number, value)
        if last is not None and type(read) is not type(last):
            wrong(reader.path, number, "states or steps", "here one follows the other")
        if isinstance(read, Step):
            reader.follow(last if isinstance(last, Step) else None, read)
        yield number, read
        last = read
