"""What keepfact asks, in the words of the store, and what the store shows, in keepfact's.

cd examples/adapters && keepfact verify --system adapter:MySystem
"""

import sqlite3
from collections.abc import Sequence

from store import ENDS, PRINCIPAL, RefusedError, Store, is_unresolved

from keepfact.spec import vocabulary as kf


class MySystem:
    """keepfact makes one without arguments, drives it, and closes it."""

    name = "my store"
    lease_seconds = 30
    contracts = frozenset({kf.Contract.SETTLE})

    def __init__(self) -> None:
        self.store = Store(self.lease_seconds)

    def perform(self, command: kf.Command) -> kf.Outcome:
        """Done, Refused for a reason, or Lost when nobody knows (SQLite in this process always does)."""
        try:
            if isinstance(command, kf.Observe):
                return kf.Done() if self.store.find(command.run) else kf.Refused(kf.Reason.NO_SUCH_RUN)
            if is_malformed(command):
                return kf.Refused(kf.Reason.MALFORMED)
            fence = self.store.once(command.command_id, repr(command), lambda: self._do(command))
        except RefusedError as no:
            return kf.Refused(kf.Reason(no.args[0]))
        except (UnicodeEncodeError, OverflowError):  # SQLite has no place for it, and the store has rolled back
            return kf.Refused(kf.Reason.MALFORMED)
        return kf.Done(None if fence is None else kf.LeaseGrant(kf.Fence(fence), self.lease_seconds))

    def _do(self, command: kf.Command) -> int | None:
        match command:
            case kf.Submit(run=run):
                return self.store.submit(run, command.budget_cents)
            case kf.Claim(run=run):
                return self.store.claim(run, command.worker)
            case kf.Renew(run=run, fence=fence):
                return self.store.renew(run, fence)
            case kf.Release(run=run, fence=fence):
                return self.store.release(run, fence)
            case kf.Intend(run=run, fence=fence, call=call, kind=kind, digest=digest, ceiling_cents=cents):
                return self.store.intend(run, fence, call, kind, digest, cents, command.supersedes)
            case kf.RecordAnswer(run=run, fence=fence, call=call):
                return self.store.answer(run, fence, call, command.answer, command.cost_cents)
            case kf.MarkUnknown(run=run, fence=fence, call=call):
                return self.store.lose(run, fence, call)
            case kf.Publish(run=run, fence=fence):
                return self.store.publish(run, fence, command.body, command.qualified)
            case kf.Succeed(run=run, fence=fence):
                return self.store.succeed(run, fence)
            case kf.Fail(run=run, fence=fence):
                return self.store.fail(run, fence, command.error)
            case kf.Recover(run=run):
                return self.store.recover(run, command.seen_fence)
            case kf.Reconcile(run=run, call=call):
                return self.store.reconcile(run, call, command.evidence, command.cost_cents)
        raise NotImplementedError(f"not declared, and so never asked: {command}")

    def observe(self, runs: Sequence[kf.RunId]) -> kf.Observation:
        """These runs as they are stored now; writes nothing."""
        return kf.Observation(tuple(self._view(row) for run in runs if (row := self.store.find(run))))

    def _view(self, run: sqlite3.Row) -> kf.RunView:
        calls, bodies, events = (self.store.rows(table, run["run"]) for table in ("calls", "bodies", "events"))
        qualified = [body["version"] for body in bodies if body["qualified"]]
        is_over = run["state"] in (*ENDS, "unknown")
        known, held = self.store.costs(run["run"])
        left = None if run["lease_until"] is None else max(0, run["lease_until"] - self.store.now)
        return kf.RunView(
            run["run"], kf.Contract.SETTLE, kf.RunState(run["state"]), run["fence"], run["budget"], known, held,
            unresolved=sum(map(is_unresolved, calls)), worker=run["worker"], lease_left_seconds=left,
            sealed_for=run["sealed_for"] and kf.RunState(run["sealed_for"]), error=run["error"],
            delivered=kf.Delivered(qualified[-1], run["state"] != "succeeded") if is_over and qualified else None,
            calls=tuple(map(call_view, calls)),
            publications=tuple(kf.PublicationView(one[1], one[2], bool(one[3])) for one in bodies),
            history=tuple(map(event_view, events)),
        )  # fmt: skip

    def tick(self, seconds: int) -> None:
        """The clock that leases follow is one that tests can set."""
        self.store.now += seconds

    def versions(self) -> dict[str, str]:
        return {"my store": "1", "SQLite": sqlite3.sqlite_version}

    def close(self) -> None:
        self.store.db.close()


def call_view(call: sqlite3.Row) -> kf.CallView:
    return kf.CallView(
        call["call"], kf.CallKind(call["kind"]), call["digest"], call["ceiling"], call["fence"],
        kf.CallState(call["state"]), call["answer"], call["cost"], call["supersedes"],
        over_ceiling=(call["cost"] or 0) > call["ceiling"],
    )  # fmt: skip


def event_view(event: sqlite3.Row) -> kf.EventView:
    return kf.EventView(
        event["number"], kf.EventType(event["type"]), kf.EntryPoint(event["door"]), PRINCIPAL, event["fence"],
        event["concerns"], digest=event["digest"], previous_digest=event["previous"],
    )  # fmt: skip


def is_malformed(command: kf.Command) -> bool:
    """An amount is never negative, and evidence has one only where it confirms."""
    amounts = [getattr(command, name, None) for name in ("budget_cents", "ceiling_cents", "cost_cents")]
    is_no_bill = isinstance(command, kf.Reconcile) and command.evidence is not kf.Evidence.CONFIRMED
    return (is_no_bill and amounts[2] is not None) or any(amount is not None and amount < 0 for amount in amounts)
