"""Whether a release's programs decide, on stored histories, what was decided when they were written."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never

from .calling import ProgramError, may_be_sent_again
from .decider import Event, Folding, possible_past
from .digests import arguments_of, digest_of, digest_of_text, digest_of_wait
from .programs.decisions import (
    AskModel,
    Decision,
    Fail,
    Progress,
    Publish,
    ReadMaterial,
    SaveMaterial,
    Spawn,
    Succeed,
    TakeBranch,
    UseTool,
    WaitFor,
)
from .release import Bundle, Release
from .store import Store
from .texts import record_of

RUNS_AT_ONCE, EVENTS_AT_ONCE, TOLD_MAX = 100, 200, 20
BESIDE = frozenset({"reconciled", "decided", "cancel_requested"})
"""What others may write while a worker is between looking at the history and writing what was decided on it."""

DECIDED = frozenset({"intended", "sent_again", "published", "waited", "spawned", "marked", "saved"})
"""The events of work that tell a decision; its ends do too, unless the run was asked to stop."""

REFUSED = re.compile(r"(\w+) was refused: \w+")
"""What a failure says that followed a decision of which the store would have nothing."""

CARRIED = frozenset({"record_answer", "mark_unknown"})
"""Commands that no program decides: they carry out what it decided before."""

Facts = Mapping[str, Any]


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
        payload = event["payload"]
        if (fault := self._fault(decision, progress)) is not None:
            return str(payload.get("error")).startswith(f"{fault}: ")
        if (refused := _refused_command(event)) and not isinstance(decision, Fail):
            return any(refused == command for command, _, _ in self._expected(decision))
        return any(
            kind == _kind(event) and all(_says(payload, name, value) for name, value in facts.items())
            for _, kind, facts in self._expected(decision)
            if _is_open(decision, kind, progress)
        )

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
            list(self._expected(decision))
        except Exception as error:  # it is not JSON, or not even text
            return type(error).__name__
        return None

    def _expected(self, decision: Decision) -> Iterator[tuple[str, str, Facts]]:
        """The command that a decision leads to, the event that it is told by, and what that must say."""
        match decision:
            case AskModel():
                yield "intend", "intended", self._of_attempt(decision)
            case UseTool():
                yield from self._of_tool(decision)
            case Publish(body, qualified):
                yield "publish", "published", {"body": body, "qualified": qualified}
            case SaveMaterial():
                yield "save_material", "saved", _of_material(decision)
            case ReadMaterial(material):
                yield "read_material", "read", {"material": material}
            case Spawn(spawn, budget_cents, _):
                facts = {"spawn": spawn, "child": self._id(spawn), "budget_cents": budget_cents}
                yield "spawn", "spawned", facts
            case TakeBranch(marker):
                yield "mark", "marked", {"marker": marker, "branch": self.bundle.branch(marker)}
            case WaitFor():
                yield "wait", "waited", self._of_wait(decision)
            case Succeed():
                yield from (("succeed", kind, {"end": "succeeded"}) for kind in ("ended", "sealed"))
            case Fail(reason):
                failed = {"end": "failed", "error": record_of(reason)}
                yield from (("fail", kind, failed) for kind in ("ended", "sealed"))
            case _:
                assert_never(decision)

    def _of_attempt(self, decision: AskModel) -> Facts:
        content = {"model": self.bundle.model, "messages": list(decision.messages)}
        return {
            "call": self._id(decision.attempt),
            "kind": "attempt",
            "digest": digest_of(content),
            "ceiling_cents": decision.ceiling_cents,
            "supersedes": None if decision.supersedes is None else self._id(decision.supersedes),
        }

    def _of_tool(self, decision: UseTool) -> Iterator[tuple[str, str, Facts]]:
        """Sent, sent again, or shown to a person; that also once more, when what was approved did not count."""
        call, digest = self._id(decision.operation), digest_of(arguments_of(decision))
        yield "send_again", "sent_again", {"call": call}
        yield "intend", "intended", {
            "call": call,
            "kind": "operation",
            "digest": digest,
            "ceiling_cents": decision.ceiling_cents,
            "recognises": decision.recognises,
            "sends_max": decision.sends_max,
        }  # fmt: skip
        if (approval := decision.approval) is not None:
            shown = {"call": call, "risk": approval.risk, "basis": approval.basis}
            asked = {"kind": "approval", "digest": digest, "seconds": approval.seconds, "shown": shown}
            yield "request_approval", "waited", asked

    def _of_wait(self, decision: WaitFor) -> Facts:
        return {
            "wait": decision.wait,
            "kind": decision.kind,
            "digest": digest_of_wait(decision),
            "seconds": decision.seconds,
            "arrivals": decision.arrivals,
            "child": None if decision.child is None else self._id(decision.child),
        }

    def _id(self, name: str) -> str:
        return f"{self.run}:{name}"


def is_decided(event: Event) -> bool:
    """The program decided this, and not somebody from outside or the worker that carried it out."""
    if event["entry_point"] != "work":
        return False
    if event["type"] in {"ended", "sealed"}:
        return event["payload"]["end"] != "cancelled" and _refused_command(event) not in CARRIED
    return event["type"] in DECIDED


def told(event: Event) -> str:
    """An event for people, in one line."""
    payload = {name: value for name, value in event["payload"].items() if name not in {"at", "fence"}}
    return f"{_kind(event)} {json.dumps(payload, sort_keys=True, ensure_ascii=False)}"


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


def _kind(event: Event) -> str:
    """Its type; using a finding that was handed over is told as one that is saved, with its origin."""
    return "read" if event["type"] == "saved" and "origin" in event["payload"] else str(event["type"])


def _refused_command(event: Event) -> str | None:
    found = REFUSED.fullmatch(event["payload"].get("error") or "")
    return found[1] if found else None


def _is_open(decision: Decision, kind: str, progress: Progress) -> bool:
    """Of the ways that the use of a tool can go, those that are open where it stands."""
    if not isinstance(decision, UseTool):
        return True
    fact, request = progress.calls.get(decision.operation), progress.requests.get(decision.operation)
    if fact is not None and may_be_sent_again(fact, decision):
        return kind == "sent_again"
    if decision.approval is None:
        return kind == "intended"
    is_approved = request is not None and request.approved is True
    return kind == "waited" or (kind == "intended" and is_approved)


def _says(payload: Mapping[str, Any], name: str, value: object) -> bool:
    """What is said of a thing may be more. A large text is known by its digest, also after it was purged."""
    if isinstance(value, Mapping):
        return all(_says(payload.get(name) or {}, part, expected) for part, expected in value.items())
    if isinstance(value, str) and (digest := payload.get(f"{name}_payload")):
        return bool(digest_of_text(value) == digest)
    return bool(payload.get(name) == value)


def _is_purged(payload: Mapping[str, Any], name: str) -> bool:
    digest = payload.get(f"{name}_payload")
    return digest is not None and payload.get(name) == f"purged text, sha256 {digest}"


def _of_material(decision: SaveMaterial) -> Facts:
    return {
        "material": decision.material,
        "source": decision.source,
        "digest": digest_of_text(decision.content),
        "as_of": decision.as_of,
        "fresh_seconds": decision.fresh_seconds,
        "derived_from": list(decision.derived_from),
        "replaces": decision.replaces,
        "judgement": decision.judgement,
    }
