"""What an agent's program decides next: a pure function of its bundle and the history, and of nothing else."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .programs.decisions import CallFact, Decision, Handed, Progress, Request, TakeBranch
from .release import Bundle

Event = Mapping[str, Any]
"""One event of a history, with its payload."""


def decide(bundle: Bundle, history: Sequence[Event]) -> Decision:
    """The next decision, given every event so far with its payload. The same history gives the same decision."""
    return bundle.program(fold(history))


def fold(history: Iterable[Event]) -> Progress:
    """What the events say has happened."""
    folding = Folding()
    for event in history:
        folding.take(event)
    return folding.progress


def decide_past(bundle: Bundle, progress: Progress) -> Decision:
    """What was decided here when it happened: a change that the bundle does not know of had not been made then."""
    return list(possible_past(bundle, progress))[-1]


def possible_past(bundle: Bundle, progress: Progress) -> Iterator[Decision]:
    """What may have been decided here: that the run takes its old branch, or what comes after that, unmarked."""
    decision = bundle.program(progress)
    yield decision
    while isinstance(decision, TakeBranch) and decision.marker not in {*bundle.markers, *progress.branches}:
        progress = replace(progress, branches={**progress.branches, decision.marker: "old"})
        decision = bundle.program(progress)
        yield decision


@dataclass
class Folding:
    """A fold that goes on with each event; `waits` remembers for which operation approval is asked there."""

    calls: dict[str, CallFact] = field(default_factory=dict)
    requests: dict[str, Request] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    handed: dict[str, Handed] = field(default_factory=dict)
    waits: dict[str, str] = field(default_factory=dict)
    woken: set[str] = field(default_factory=set)
    children: set[str] = field(default_factory=set)
    saved: set[str] = field(default_factory=set)
    publications: int = 0
    input: str | None = None
    unresolved_before: tuple[str, ...] = ()
    is_cancelled: bool = False

    @property
    def progress(self) -> Progress:
        """How far the run has come, for its program to look at and not to change."""
        return Progress(
            dict(self.calls),
            self.publications,
            self.input,
            dict(self.requests),
            frozenset(self.woken),
            frozenset(self.children),
            dict(self.branches),
            frozenset(self.saved),
            dict(self.handed),
            self.unresolved_before,
            self.is_cancelled,
        )

    def take(self, event: Event) -> None:
        """Go on with the next event."""
        payload = event["payload"]
        match event["type"]:
            case "admitted":
                self._admitted(payload)
            case "granted" if event.get("entry_point") == "wake":
                self.woken.add(event["concerns"])
            case "intended" | "sent_again":
                self.calls[local_name(payload["call"])] = CallFact("open")
            case "answered":
                self.calls[local_name(payload["call"])] = CallFact("answered", payload["answer"])
            case "lost":
                self.calls[local_name(payload["call"])] = CallFact("lost")
            case "reconciled":
                self._reconciled(local_name(payload["call"]), payload["evidence"])
            case "published":
                self.publications += 1
            case "waited" if payload["kind"] == "approval":
                self.waits[payload["wait"]] = operation = local_name(payload["shown"]["call"])
                self.requests[operation] = Request(payload["wait"], payload["digest"])
            case "decided":
                self._decided(payload)
            case "spawned":
                self.children.add(payload["spawn"])
            case "marked":
                self.branches[payload["marker"]] = payload["branch"]
            case "saved":
                self._saved(payload)
            case "cancel_requested":
                self.is_cancelled = True

    def _admitted(self, payload: Mapping[str, Any]) -> None:
        self.input = payload.get("input")
        self.unresolved_before = tuple(payload.get("open_calls", ()))
        for one in payload.get("inherited", ()):
            self.handed.setdefault(one["material"], Handed(one["run"], one["label"]))

    def _reconciled(self, call: str, evidence: str) -> None:
        if self.calls[call].state == "lost" and evidence != "ambiguous":
            self.calls[call] = CallFact("confirmed" if evidence == "confirmed" else "not_found")

    def _decided(self, payload: Mapping[str, Any]) -> None:
        operation = self.waits[payload["wait"]]
        self.requests[operation] = replace(self.requests[operation], approved=payload["approved"])
        if not payload["approved"]:
            self.calls[operation] = CallFact("denied")

    def _saved(self, payload: Mapping[str, Any]) -> None:
        material = payload["material"]
        if "origin" in payload:
            self.handed[material] = replace(self.handed[material], content=payload.get("content"))
        else:
            self.saved.add(material)


def local_name(call: str) -> str:
    """The id of a call is `<run>:<kind>:<number>`, and a run's own id may have colons too."""
    return ":".join(call.rsplit(":", 2)[1:])
