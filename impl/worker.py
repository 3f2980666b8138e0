"""A worker: claims a run, does what its program decides, and writes down every step before and after it is done."""

import argparse
import hashlib
import json
import logging
import os
import signal
import sys
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never

from .decider import AskModel, Bundle, Decision, Fail, Publish, Succeed, UseTool, decide
from .errors import SetupError
from .lease import Lease
from .outcomes import Done, Grant, Lost, Refused
from .outside import Answer, NoAnswer, Outside
from .prepared import Value
from .seams import Seams
from .settings import WorkerSettings
from .store import ConnectionLostError, Identity, Store

log = logging.getLogger("keepfact.worker")

CLAIMING_SECONDS_MAX = 30
PAUSE_SECONDS_MAX = 1.0

LEASE_IS_GONE = frozenset({"stale_fence", "sealed", "not_running", "lease_lapsed"})
"""Reasons after which the worker has no say in the run any more."""


class StoppedError(Exception):
    """The worker may or can do nothing more for the run; the message says why."""


class RefusedError(StoppedError):
    """The store refused a command of the worker."""

    def __init__(self, command: str, reason: str) -> None:
        super().__init__(f"{command} was refused: {reason}")
        self.reason = reason


@dataclass
class Worker:
    """One worker. `drain` makes it stop at the next safe point and hand the run back."""

    name: str
    store: Store
    outside: Outside
    seams: Seams
    bundle: Bundle = field(default_factory=Bundle)
    heartbeat_seconds: float | None = None
    is_draining: bool = False

    def drain(self, *_: object) -> None:
        """Finish what is in flight, start nothing new, hand the run back."""
        self.is_draining = True

    def work(self, run: str | None) -> None:
        """Claim a run, or the next one in the queue, and work on it to its end. Raises StoppedError."""
        asked_at = time.monotonic()
        grant = self._claim(run)
        with Lease(self.store, grant, asked_at, self.heartbeat_seconds) as lease:
            while not self.is_draining:
                decision = decide(self.bundle, self._history(lease))
                try:
                    self._carry_out(lease, decision)
                except RefusedError as refusal:
                    if refusal.reason in LEASE_IS_GONE:
                        raise
                    # The run is still ours, but the program cannot go on: over budget, or not to be stored.
                    decision = Fail(str(refusal))
                    self._carry_out(lease, decision)
                if isinstance(decision, Succeed | Fail):
                    return
            self._write(lease, "release", "releasing", "released")

    def _claim(self, run: str | None) -> Grant:
        self.seams.reach("claiming")
        deadline = time.monotonic() + CLAIMING_SECONDS_MAX
        done = self._insist("claim", lambda: time.monotonic() < deadline, run=run, worker=self.name)
        assert done.grant is not None  # a claim that is done carries one
        self.seams.reach("claimed")
        return done.grant

    def _carry_out(self, lease: Lease, decision: Decision) -> None:
        match decision:
            case AskModel(attempt, messages, ceiling_cents):
                self._call(lease, self._attempt(attempt, messages, ceiling_cents))
            case UseTool(operation, tool, arguments, ceiling_cents):
                self._call(lease, self._operation(operation, tool, arguments, ceiling_cents, lease.grant.fence))
            case Publish(body, qualified):
                self._write(lease, "publish", "publishing", "published", body=body, qualified=qualified)
            case Succeed():
                self._write(lease, "succeed", "succeeding", "succeeded")
            case Fail(reason):
                log.warning("%s fails: %s", lease.grant.run, reason)
                self._write(lease, "fail", "failing", "failed")
            case _:
                assert_never(decision)

    def _attempt(self, name: str, messages: Sequence[Mapping[str, Any]], ceiling_cents: int) -> "_Call":
        content = {"model": self.bundle.model, "messages": list(messages)}
        return _Call(
            "attempt", name, "model", content, ceiling_cents,
            lambda call: self.outside.ask_model(call, self.bundle.model, messages),
        )  # fmt: skip

    def _operation(self, name: str, tool: str, arguments: Mapping[str, Any], ceiling_cents: int, fence: int) -> "_Call":
        return _Call(
            "operation", name, "tool", {"tool": tool, "arguments": dict(arguments)}, ceiling_cents,
            lambda call: self.outside.use_tool(call, tool, arguments, fence),
        )  # fmt: skip

    def _call(self, lease: Lease, call: "_Call") -> None:
        """Intent, request, answer: the intent is committed before anything is sent, and the request is sent once."""
        call_id = f"{lease.grant.run}:{call.name}"
        intent: dict[str, Value] = {"digest": _digest(call.content), "ceiling_cents": call.ceiling_cents}
        self._write(
            lease, "intend", f"intending {call.kind}", f"intended {call.kind}",
            call=call_id, kind=call.kind, supersedes=None, **intent,
        )  # fmt: skip
        if not lease.is_live:
            raise StoppedError("the lease could not be renewed; nothing was sent")
        self.seams.reach(f"{call.whom} asked")
        answer = call.send(call_id)
        self.seams.reach(f"{call.whom} answered")
        if isinstance(answer, Answer):
            self._record(lease, call_id, call.kind, answer)
        else:
            log.warning("the answer to %s is lost: %s", call_id, answer.why)
            self._mark_unknown(lease, call_id, call.kind)

    def _record(self, lease: Lease, call: str, kind: str, answer: Answer) -> None:
        self._write(
            lease, "record_answer", f"recording answer of {kind}", f"recorded answer of {kind}",
            call=call, answer=answer.text, cost_cents=answer.cost_cents,
        )  # fmt: skip

    def _mark_unknown(self, lease: Lease, call: str, kind: str) -> None:
        self._write(lease, "mark_unknown", f"marking {kind} unknown", f"marked {kind} unknown", call=call)

    def _write(self, lease: Lease, command: str, before: str, after: str, **fields: Value) -> None:
        """One durable write between its two seams."""
        self.seams.reach(before)
        self._insist(command, lambda: lease.is_live, run=lease.grant.run, fence=lease.grant.fence, **fields)
        self.seams.reach(after)

    def _insist(self, command: str, may_go_on: Callable[[], bool], **fields: Value) -> Done:
        """Do a command; while nobody knows whether it was done, ask again under the same id, which tells."""
        command_id = str(uuid.uuid4())
        pause = 0.05
        while True:
            match self.store.perform(command, command_id=command_id, **fields):
                case Done() as done:
                    return done
                case Refused(reason):
                    raise RefusedError(command, reason)
                case Lost():
                    if not may_go_on():
                        raise StoppedError(f"whether {command} was done is unknown, and the lease has run out")
            time.sleep(pause)
            pause = min(2 * pause, PAUSE_SECONDS_MAX)

    def _history(self, lease: Lease) -> list[dict[str, Any]]:
        """The run's events with their payloads; asked for again while the store cannot be reached."""
        pause = 0.05
        while True:
            try:
                shown = self.store.observe([lease.grant.run], payloads=True)
            except ConnectionLostError:
                if not lease.is_live:
                    raise StoppedError("the store cannot be reached, and the lease has run out") from None
                time.sleep(pause)
                pause = min(2 * pause, PAUSE_SECONDS_MAX)
                continue
            history: list[dict[str, Any]] = shown[0]["history"]
            return history


@dataclass(frozen=True, slots=True)
class _Call:
    """A call about to be made: its kind, its name within the run, and who is asked, `model` or `tool`."""

    kind: str
    name: str
    whom: str
    content: Mapping[str, Any]
    ceiling_cents: int
    send: Callable[[str], Answer | NoAnswer]


def _digest(content: Mapping[str, Any]) -> str:
    """SHA-256, in hex, over the content as JSON with sorted keys and without spaces."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def main() -> None:
    """Work on one run and exit: 0 when it ended or was handed back, 3 when it was taken away, 2 when set up wrongly."""
    parser = argparse.ArgumentParser(prog="keepfact.impl.worker", description="Claims one run and works on it.")
    parser.add_argument("--run", help="the run to claim; without it the next one in the queue")
    parser.add_argument("--worker", required=True, help="the name of this worker, for the record")
    arguments = parser.parse_args()
    logging.basicConfig(level=os.environ.get("KEEPFACT_LOG", "WARNING"), format="%(name)s: %(message)s")
    try:
        settings = WorkerSettings.read(os.environ)
        store = Store({"work": settings.work_dsn, "observe": settings.observe_dsn})
        store.check()
        if settings.tenant is not None:
            store = store.speaking_for(Identity(settings.tenant, settings.principal))
        outside = Outside(settings.model_url, settings.tool_url, settings.request_seconds)
        worker = Worker(
            arguments.worker, store, outside, Seams.read(os.environ), heartbeat_seconds=settings.heartbeat_seconds
        )
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, worker.drain)
        worker.work(arguments.run)
    except SetupError as error:
        log.error("%s", error)
        sys.exit(2)
    except StoppedError as reason:
        log.warning("stopped: %s", reason)
        sys.exit(3)


if __name__ == "__main__":
    main()
