"""Whether a release's programs decide, on stored histories, what was decided when they were written."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .calling import ProgramError, may_be_sent_again
from .consequences import Consequences, Write
from .decider import Event, Folding, possible_past
from .in_history import is_decided, is_told, refused_command, told
from .programs.decisions import AskModel, Decision, Fail, Progress, UseTool
from .release import Bundle, Release
from .store import Store

RUNS_AT_ONCE, EVENTS_AT_ONCE, TOLD_MAX = 100, 200, 20
BESIDE = frozenset({"reconciled", "decided", "cancel_requested"})
"""What others may write while a worker is between looking at the history and writing what was decided on it."""


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where a program decides otherwise than the history says."""

    run: str
    number: int
    recorded: str
    decided: str


@dataclass
class Replayed:
    """What came of many runs: how many were replayed, and diverged, with the first divergences.

    Runs of which a text was purged that their program once read cannot be replayed; nor can those that nothing was
    decided in yet.
    """

    runs: int = 0
    diverged: int = 0
    purged: int = 0
    divergences: list[Divergence] = field(default_factory=list)

    @property
    def is_proof(self) -> bool:
        """Some were replayed, and none diverged."""
        return self.runs > 0 and self.diverged == 0

    def take(self, divergence: Divergence) -> None:
        """Count it; the first ones are kept, to be told."""
        self.diverged += 1
        if len(self.divergences) < TOLD_MAX:
            self.divergences.append(divergence)


class PurgedError(Exception):
    """A text that the program once read is gone."""


def replay_all(store: Store, release: Release, bundles: Sequence[str]) -> Replayed:
    """Replay every run of these bundles, each to its first divergence. One page of one history is held at a time.

    Raises ConnectionLostError.
    """
    replayed = Replayed()
    for run, bundle in _runs(store, bundles):
        replay = Replay(run, release.bundles[bundle])
        try:
            found = next(replay.divergences(_events(store, run)), None)
        except PurgedError:
            replayed.purged += 1
            continue
        replayed.runs += replay.decisions > 0
        if found is not None:
            replayed.take(found)
    return replayed


@dataclass
class Replay:
    """One run, event after event; `seen` are the states of it that a worker may have looked at since its last write."""

    run: str
    bundle: Bundle
    folding: Folding = field(default_factory=Folding)
    seen: list[Progress] = field(default_factory=list)
    decisions: int = 0

    def divergences(self, events: Iterator[Event]) -> Iterator[Divergence]:
        """Every event that is not what the program decides on those before it. Raises PurgedError."""
        for event in events:
            if is_decided(event):
                self.decisions += 1
                decided = [one for progress in self.seen or [self.folding.progress] for one in self._decide(progress)]
                if not any(self._leads_to(one, progress, event) for one, progress in decided):
                    yield Divergence(self.run, event["number"], told(event), str(decided[-1][0]))
            self._take(event)

    def _take(self, event: Event) -> None:
        if any(_is_purged(event["payload"], name) for name in ("answer", "content")):
            raise PurgedError(self.run)
        self.folding.take(event)
        if event["type"] in BESIDE:
            self.seen.append(self.folding.progress)
        elif event["entry_point"] == "work" or event["type"] == "granted":
            self.seen = [self.folding.progress]

    def _decide(self, progress: Progress) -> Iterator[tuple[Decision, Progress]]:
        """A program that raises fails its run, and what it raised is the reason."""
        try:
            yield from ((decision, progress) for decision in possible_past(self.bundle, progress))
        except Exception as error:
            yield Fail(f"{type(error).__name__}: {error}"), progress

    def _leads_to(self, decision: Decision, progress: Progress, event: Event) -> bool:
        if (fault := self._fault(decision, progress)) is not None:
            return str(event["payload"].get("error")).startswith(f"{fault}: ")
        writes = self._writes(decision)
        if (refused := refused_command(event)) and not isinstance(decision, Fail):
            return any(refused == write.command for write in writes)
        return any(is_told(write, event) for write in writes if _is_open(decision, write.command, progress))

    def _fault(self, decision: Decision, progress: Progress) -> str | None:
        """The name of what is raised when a worker is to carry that out, and fails the run; None if it can."""
        match decision:
            case AskModel(attempt) if attempt in progress.calls:
                return ProgramError.__name__
            case UseTool(operation) if (fact := progress.calls.get(operation)) and not may_be_sent_again(
                fact, decision
            ):
                return ProgramError.__name__
        try:
            self._writes(decision)
        except Exception as error:  # it is not JSON, or not even text
            return type(error).__name__
        return None

    def _writes(self, decision: Decision) -> list[Write]:
        """What it may lead to; a tool is also sent again, or a person asked, once more if what was approved is void."""
        consequences = Consequences(self.run, self.bundle)
        writes = [consequences.of(decision)]
        if isinstance(decision, UseTool):
            writes.append(consequences.sending_again(decision))
            if decision.approval is not None:
                writes.append(consequences.asking_to_approve(decision, decision.approval))
        return writes


def _runs(store: Store, bundles: Sequence[str]) -> Iterator[tuple[str, str]]:
    after: str | None = None
    while page := store.list_runs(after, RUNS_AT_ONCE):
        yield from ((one["run"], one["bundle"]) for one in page if one["bundle"] in bundles)
        after = page[-1]["run"]


def _events(store: Store, run: str) -> Iterator[Event]:
    after = 0
    while (page := store.read_events(run, after, EVENTS_AT_ONCE)) and page["events"]:
        yield from page["events"]
        after = page["events"][-1]["number"]


def _is_open(decision: Decision, command: str, progress: Progress) -> bool:
    """Of the ways that the use of a tool can go, those that are open where it stands."""
    if not isinstance(decision, UseTool):
        return True
    fact, request = progress.calls.get(decision.operation), progress.requests.get(decision.operation)
    if fact is not None and may_be_sent_again(fact, decision):
        return command == "send_again"
    if decision.approval is None:
        return command == "intend"
    is_approved = request is not None and request.approved is True
    return command == "request_approval" or (command == "intend" and is_approved)


def _is_purged(payload: Mapping[str, Any], name: str) -> bool:
    digest = payload.get(f"{name}_payload")
    return digest is not None and payload.get(name) == f"purged text, sha256 {digest}"
