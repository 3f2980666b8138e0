"""A worker's time with one run: from its grant until the run ends, waits, is handed back or is taken away.

Every decision of the run's program is carried out by one durable write before whatever it does outside, and one after.
"""

import hashlib
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, assert_never

from .decider import Folding
from .insisting import RefusedError, StoppedError, insist, read
from .lease import Lease
from .outside import Answer, NoAnswer, Outside
from .prepared import Value
from .programs.decisions import (
    AskModel,
    CallFact,
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
from .release import Bundle
from .seams import Seams
from .store import Store
from .texts import record_of

log = logging.getLogger("keepfact.worker")

EVENTS_AT_ONCE = 1_000
LEASE_IS_GONE = frozenset({"stale_fence", "sealed", "not_running", "lease_lapsed"})
"""Reasons after which the worker has no say in the run any more."""

ASK_ANEW = frozenset({"drifted", "expired", "not_permitted", "approval_used"})
"""Reasons after which an approval does not count any more: a person is shown what has changed, and asked again."""


@dataclass
class Stint:
    """One grant of one run. `is_draining` is asked before every new step."""

    store: Store
    outside: Outside
    seams: Seams
    bundle: Bundle
    lease: Lease
    is_draining: Callable[[], bool]
    folding: Folding = field(default_factory=Folding)
    read_up_to: int = 0

    def work(self) -> None:
        """Carry out what the program decides. Raises StoppedError when the run was taken away."""
        while not self.is_draining():
            progress = self._progress()
            if progress.is_cancelled:
                return self._wind_up(progress)
            try:
                is_over = self._carry_out(self.bundle.program(progress), progress)
            except RefusedError as refusal:
                if refusal.reason in LEASE_IS_GONE:
                    raise
                if refusal.reason == "cancelling":
                    continue  # the history says so, next time it is read
                # The run is still ours, but the program cannot go on: over budget, or not to be stored.
                is_over = self._carry_out(Fail(str(refusal)), progress)
            if is_over:
                return None
        return self._write("release", "releasing", "released")

    def _progress(self) -> Progress:
        """How far the run has come, by the events that are new since the last look."""
        is_over = False
        while not is_over:
            page = read(
                lambda: self.store.read_events(self.lease.grant.run, self.read_up_to, EVENTS_AT_ONCE),
                lambda: self.lease.is_live,
            )
            if page is None:
                raise StoppedError(f"there is no run {self.lease.grant.run}")
            for event in page["events"]:
                self.folding.take(event)
                self.read_up_to = event["number"]
            is_over = self.read_up_to >= page["last"]
        return self.folding.progress

    def _wind_up(self, progress: Progress) -> None:
        """Asked to stop: what is in flight is over for us, and unknown."""
        for call, fact in progress.calls.items():
            if fact.state == "open":
                self._write("mark_unknown", "marking call unknown", "marked call unknown", call=self._id(call))
        self._write("stop", "stopping", "stopped")

    def _carry_out(self, decision: Decision, progress: Progress) -> bool:
        """Carry out one decision; whether the run is out of our hands then."""
        match decision:
            case AskModel():
                self._ask_model(decision)
            case UseTool():
                return self._use_tool(decision, progress)
            case Publish(body, qualified):
                self._write("publish", "publishing", "published", body=body, qualified=qualified)
            case SaveMaterial():
                self._save(decision)
            case ReadMaterial(material):
                self._write("read_material", "reading material", "read material", material=material)
            case Spawn(spawn, budget_cents, given):
                child = f"{self.lease.grant.run}:{spawn}"
                self._write(
                    "spawn", "spawning", "spawned", spawn=spawn, child=child, budget_cents=budget_cents, input=given
                )
            case TakeBranch(marker):
                branch = self.bundle.branch(marker)
                self._write("mark", "marking branch", "marked branch", marker=marker, branch=branch)
            case WaitFor():
                self._wait(decision)
                return True
            case Succeed():
                self._write("succeed", "succeeding", "succeeded")
                return True
            case Fail(reason):
                log.warning("%s fails: %s", self.lease.grant.run, reason)
                self._write("fail", "failing", "failed", error=reason)
                return True
            case _:
                assert_never(decision)
        return False

    def _ask_model(self, decision: AskModel) -> None:
        content = {"model": self.bundle.model, "messages": list(decision.messages)}
        supersedes = None if decision.supersedes is None else self._id(decision.supersedes)
        self._intend("attempt", decision.attempt, digest_of(content), decision.ceiling_cents, supersedes=supersedes)
        self._send(
            "attempt",
            "model",
            decision.attempt,
            lambda call: self.outside.ask_model(call, self.bundle.model, decision.messages),
        )

    def _use_tool(self, decision: UseTool, progress: Progress) -> bool:
        """Send it, or send it once more; or first have a person approve it, and wait for that."""
        fact = progress.calls.get(decision.operation)
        if fact is not None and may_be_sent_again(fact, decision):
            self._write("send_again", "sending again", "sent again", call=self._id(decision.operation))
        elif decision.approval is not None and not self._is_approved(decision, progress):
            self._ask_to_approve(decision, progress)
            return True
        else:
            try:
                self._intend_tool(decision, progress)
            except RefusedError as refusal:
                if decision.approval is None or refusal.reason not in ASK_ANEW:
                    raise
                self._ask_to_approve(decision, progress)
                return True
        self._send(
            "operation",
            "tool",
            decision.operation,
            lambda call: self.outside.use_tool(call, decision.tool, decision.arguments, self.lease.grant.fence),
        )
        return False

    def _intend_tool(self, decision: UseTool, progress: Progress) -> None:
        request = progress.requests.get(decision.operation)
        self._intend(
            "operation",
            decision.operation,
            digest_of(arguments_of(decision)),
            decision.ceiling_cents,
            approval=request.wait if request else None,
            recognises=decision.recognises,
            sends_max=decision.sends_max,
        )

    def _is_approved(self, decision: UseTool, progress: Progress) -> bool:
        request = progress.requests.get(decision.operation)
        return request is not None and request.approved is True

    def _ask_to_approve(self, decision: UseTool, progress: Progress) -> None:
        """A request of its own each time it is asked."""
        assert decision.approval is not None  # only then it is asked
        earlier = progress.requests.get(decision.operation)
        number = 1 if earlier is None else int(earlier.wait.rpartition(":")[2]) + 1
        self._write(
            "request_approval",
            "requesting approval",
            "requested approval",
            wait=f"approval:{decision.operation}:{number}",
            call=self._id(decision.operation),
            digest=digest_of(arguments_of(decision)),
            risk=decision.approval.risk,
            basis=decision.approval.basis,
            seconds=decision.approval.seconds,
        )

    def _save(self, decision: SaveMaterial) -> None:
        self._write(
            "save_material",
            "saving material",
            "saved material",
            material=decision.material,
            source=decision.source,
            digest=hashlib.sha256(decision.content.encode()).hexdigest(),
            as_of=decision.as_of,
            fresh_seconds=decision.fresh_seconds,
            derived_from=decision.derived_from,
            replaces=decision.replaces,
            judgement=decision.judgement,
            content=decision.content,
        )

    def _wait(self, decision: WaitFor) -> None:
        self._write(
            "wait",
            "waiting",
            "waited",
            wait=decision.wait,
            kind=decision.kind,
            digest=digest_of_wait(decision),
            seconds=decision.seconds,
            arrivals=decision.arrivals,
            child=None if decision.child is None else self._id(decision.child),
        )

    def _intend(self, kind: str, name: str, digest: str, ceiling_cents: int, **fields: Value) -> None:
        """The intent is committed before anything is sent."""
        self._write(
            "intend",
            f"intending {kind}",
            f"intended {kind}",
            call=self._id(name),
            kind=kind,
            digest=digest,
            ceiling_cents=ceiling_cents,
            **fields,
        )

    def _send(self, kind: str, whom: str, name: str, send: Callable[[str], Answer | NoAnswer]) -> None:
        """One request, and what came of it. Whatever is no answer leaves the call unknown."""
        if not self.lease.is_live:
            raise StoppedError("the lease could not be renewed; nothing was sent")
        call = self._id(name)
        self.seams.reach(f"{whom} asked")
        answer = send(call)
        self.seams.reach(f"{whom} answered")
        if isinstance(answer, Answer):
            self._write(
                "record_answer",
                f"recording answer of {kind}",
                f"recorded answer of {kind}",
                call=call,
                answer=record_of(answer.text),
                cost_cents=answer.cost_cents,
            )
        else:
            log.warning("the answer to %s is lost: %s", call, answer.why)
            self._write("mark_unknown", f"marking {kind} unknown", f"marked {kind} unknown", call=call)

    def _write(self, command: str, before: str, after: str, **fields: Value) -> None:
        """One durable write between its two seams."""
        grant = self.lease.grant
        self.seams.reach(before)
        insist(self.store, command, lambda: self.lease.is_live, run=grant.run, fence=grant.fence, **fields)
        self.seams.reach(after)

    def _id(self, name: str) -> str:
        return f"{self.lease.grant.run}:{name}"


def may_be_sent_again(fact: CallFact, decision: UseTool) -> bool:
    """Only where the first request cannot act beside the second."""
    return fact.state == "not_found" or (fact.state == "lost" and decision.recognises)


def arguments_of(decision: UseTool) -> dict[str, Any]:
    """The effective arguments: what is shown to whoever approves, and what is sent."""
    return {"tool": decision.tool, "arguments": dict(decision.arguments)}


def digest_of_wait(decision: WaitFor) -> str:
    """What the checkpoint seals of the request that is waited on."""
    return digest_of({"wait": decision.wait, "kind": decision.kind, "arrivals": decision.arrivals})


def digest_of(content: Mapping[str, Any]) -> str:
    """SHA-256, in hex, over the content as JSON with sorted keys and without spaces."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
