"""What an agent's program decides next: a pure function of its bundle and the history, and of nothing else."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .programs import probe
from .programs.decisions import AskModel, CallFact, Decision, Fail, Progress, Publish, Succeed, UseTool

__all__ = ["AskModel", "Bundle", "Decision", "Fail", "Progress", "Publish", "Succeed", "UseTool", "decide", "fold"]


@dataclass(frozen=True, slots=True)
class Bundle:
    """Which program, in which version, talks to which model. Resolved when the run is admitted, then never changed."""

    program: str = "probe"
    version: int = 1
    model: str = "probe-1"


PROGRAMS: Mapping[tuple[str, int], Callable[[Progress], Decision]] = {("probe", 1): probe.decide}


def decide(bundle: Bundle, history: Sequence[Mapping[str, Any]]) -> Decision:
    """The next decision, given every event so far with its payload. The same history gives the same decision."""
    return PROGRAMS[bundle.program, bundle.version](fold(history))


def fold(history: Iterable[Mapping[str, Any]]) -> Progress:
    """What the events say has happened. Calls go by their name within the run: `attempt:1`, `operation:1`."""
    state = _Folding()
    for event in history:
        payload = event["payload"]
        match event["type"]:
            case "intended":
                state.calls[payload["call"]] = CallFact("open")
            case "answered":
                state.calls[payload["call"]] = CallFact("answered", payload["answer"])
            case "lost":
                state.calls[payload["call"]] = CallFact("lost")
            case "published":
                state.publications += 1
    return Progress({_local_name(call): fact for call, fact in state.calls.items()}, state.publications)


@dataclass
class _Folding:
    calls: dict[str, CallFact] = field(default_factory=dict)
    publications: int = 0


def _local_name(call: str) -> str:
    """The id of a call is `<run>:<kind>:<number>`, and a run's own id may have colons too."""
    return ":".join(call.rsplit(":", 2)[1:])
