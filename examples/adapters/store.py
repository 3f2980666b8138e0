"""A store of one's own: runs, calls and bodies in SQLite, with leases and fences. It knows nothing of keepfact.

Every method is one transaction. What a worker does names the fence that it was granted the run under.
"""

import hashlib
import sqlite3
from collections.abc import Callable

SCHEMA = """
create table runs (
  run text primary key, state text not null default 'queued', budget int not null, fence int not null default 0,
  written_under int not null default 0, worker text, lease_until int, sealed_for text, error text
);
create table calls (
  run text, call text, kind text, digest text, ceiling int, fence int, supersedes text,
  state text not null default 'open', answer text, cost int, primary key (call)
);
create table bodies (run text, version int, body text, qualified int);
create table events (
  run text, number int, type text, door text, fence int, concerns text, previous text, digest text,
  primary key (run, number)
);
create table commands (id text primary key, asked text not null, answer int);
"""
PRINCIPAL = "me"
ENDS = ("succeeded", "failed", "interrupted")


class RefusedError(Exception):
    """The store refuses, and has changed nothing. `args[0]` says why."""


class Store:
    def __init__(self, lease_seconds: int) -> None:
        self.lease_seconds, self.now = lease_seconds, 0
        self.db = sqlite3.connect(":memory:", isolation_level=None)
        self.db.row_factory = sqlite3.Row
        self.db.executescript(SCHEMA)

    def is_fenced_off(self, run: sqlite3.Row, fence: int) -> bool:
        """Whether somebody else has the run by now: a higher fence has written to it."""
        return fence < run["written_under"]  # NAIVE

    def once(self, command_id: str, asked: str, do: Callable[[], int | None]) -> int | None:
        """Do it in one transaction, or give the answer that the same command was given before."""
        self.db.execute("begin immediate")
        try:
            first = self.db.execute("select * from commands where id = ?", (command_id,)).fetchone()
            if first and first["asked"] != asked:
                raise RefusedError("command_id_conflict")
            answer: int | None = first["answer"] if first else do()
            if not first:
                self.db.execute("insert into commands values (?, ?, ?)", (command_id, asked, answer))
            self.db.execute("commit")
            return answer
        except BaseException:
            self.db.execute("rollback")
            raise

    def submit(self, run: str, budget: int) -> None:
        if self.find(run):
            raise RefusedError("run_exists")
        self.db.execute("insert into runs (run, budget) values (?, ?)", (run, budget))
        self._tell(run, "admitted", "submit")

    def claim(self, run: str, worker: str) -> int:
        """Returns the fence."""
        row = self._known(run)
        if self._is_sealed(row):
            raise RefusedError("sealed")
        if row["lease_until"] is not None and row["lease_until"] > self.now:
            raise RefusedError("lease_live")
        if row["state"] != "queued":
            raise RefusedError("not_queued")
        fence: int = row["fence"] + 1
        self._set(run, state="running", fence=fence, worker=worker, lease_until=self.now + self.lease_seconds)
        self._tell(run, "granted", "work", fence)
        return fence

    def renew(self, run: str, fence: int) -> None:
        self._held(run, fence)
        self._set(run, lease_until=self.now + self.lease_seconds)

    def release(self, run: str, fence: int) -> None:
        self._held(run, fence)
        self._needs_no_open_call(run)
        self._set(run, state="queued", worker=None, lease_until=None)
        self._tell(run, "released", "work", fence)

    def intend(
        self, run: str, fence: int, call: str, kind: str, digest: str, ceiling: int, asks_again: str | None
    ) -> None:
        """Before a call is sent: what it is, and what it may cost. The same call again is a read."""
        row, first = self._held(run, fence), self.call(call)
        if first:
            if (first["run"], first["kind"], first["digest"]) != (run, kind, digest):
                raise RefusedError("call_id_conflict")
            return
        earlier = self.call(asks_again) if asks_again else None
        if asks_again and not (
            kind == "attempt"
            and earlier
            and (earlier["run"], earlier["kind"]) == (run, "attempt")
            and earlier["state"] in ("unknown", "not_found")
        ):
            raise RefusedError("not_supersedable")
        if ceiling > row["budget"] - sum(self.costs(run)):
            raise RefusedError("over_budget")
        self.db.execute(
            "insert into calls (run, call, kind, digest, ceiling, fence, supersedes) values (?, ?, ?, ?, ?, ?, ?)",
            (run, call, kind, digest, ceiling, fence, asks_again),
        )
        self._tell(run, "intended", "work", fence, call)

    def answer(self, run: str, fence: int, call: str, answer: str, cost: int | None) -> None:
        self._held(run, fence)
        self._open(run, call)
        self._resolve(call, "confirmed", answer, cost)
        self._tell(run, "answered", "work", fence, call)

    def lose(self, run: str, fence: int, call: str) -> None:
        """The answer did not come."""
        self._held(run, fence)
        self._open(run, call)
        self._lose(run, call, "work", fence)

    def publish(self, run: str, fence: int, body: str, qualified: bool) -> None:
        self._held(run, fence)
        self.db.execute(
            "insert into bodies select ?, count(*) + 1, ?, ? from bodies where run = ?", (run, body, qualified, run)
        )
        self._tell(run, "published", "work", fence)

    def succeed(self, run: str, fence: int) -> None:
        self._held(run, fence)
        self._needs_no_open_call(run)
        if not any(body["qualified"] for body in self.rows("bodies", run)):
            raise RefusedError("not_qualified")
        self._seal(run, "succeeded", "work", fence)

    def fail(self, run: str, fence: int, error: str | None) -> None:
        self._held(run, fence)
        self._set(run, error=error)
        self._end(run, "failed", "work", fence)

    def recover(self, run: str, seen_fence: int | None) -> None:
        """The worker of this run is lost: what it had sent is unknown, and nobody goes on."""
        row = self._known(run)
        if seen_fence not in (None, row["fence"]):
            raise RefusedError("stale_fence")
        if self._is_sealed(row):
            raise RefusedError("sealed")
        if row["lease_until"] is None:
            raise RefusedError("not_running")
        if row["lease_until"] > self.now:
            raise RefusedError("lease_live")
        self._end(run, "interrupted", "recover", row["fence"])

    def reconcile(self, run: str, call: str, found: str, cost: int | None) -> None:
        """Somebody knows what became of a call. The last one that was unknown ends a run that waited for it."""
        row, one = self._known(run), self.call(call)
        if one is None or one["run"] != run:
            raise RefusedError("no_such_call")
        if one["state"] == "open":
            raise RefusedError("call_open")
        if not is_unresolved(one):
            raise RefusedError("already_resolved")
        if one["state"] == "confirmed" and found == "not_found":
            raise RefusedError("contradicted")
        if found != "ambiguous":
            self._resolve(call, found, one["answer"], cost)
        self._tell(run, "reconciled", "reconcile", None, call)
        if row["sealed_for"] and not any(map(is_unresolved, self.rows("calls", run))):
            self._set(run, state=row["sealed_for"], sealed_for=None)
            self._tell(run, "ended", "reconcile")

    def find(self, run: str) -> sqlite3.Row | None:
        row: sqlite3.Row | None = self.db.execute("select * from runs where run = ?", (run,)).fetchone()
        return row

    def call(self, call: str) -> sqlite3.Row | None:
        row: sqlite3.Row | None = self.db.execute("select * from calls where call = ?", (call,)).fetchone()
        return row

    def rows(self, table: str, run: str) -> list[sqlite3.Row]:
        return self.db.execute(f"select * from {table} where run = ? order by rowid", (run,)).fetchall()

    def costs(self, run: str) -> tuple[int, int]:
        """What is known to be spent, and what is held for calls of which nobody knows yet."""
        calls = self.rows("calls", run)
        held = sum(call["ceiling"] for call in calls if is_unresolved(call))
        return sum(call["cost"] or 0 for call in calls), held

    def _known(self, run: str) -> sqlite3.Row:
        row = self.find(run)
        if row is None:
            raise RefusedError("no_such_run")
        return row

    def _held(self, run: str, fence: int) -> sqlite3.Row:
        """The run, if whoever holds this fence may write to it now."""
        row = self._known(run)
        if self.is_fenced_off(row, fence):
            raise RefusedError("stale_fence")
        if self._is_sealed(row):
            raise RefusedError("sealed")
        if row["lease_until"] is None:
            raise RefusedError("not_running")
        if row["lease_until"] <= self.now:
            raise RefusedError("lease_lapsed")
        self._set(run, written_under=fence)
        return row

    def _is_sealed(self, run: sqlite3.Row) -> bool:
        return run["state"] in (*ENDS, "unknown")

    def _open(self, run: str, call: str) -> None:
        one = self.call(call)
        if one is None or one["run"] != run:
            raise RefusedError("no_such_call")
        if one["state"] != "open":
            raise RefusedError("call_not_open")

    def _needs_no_open_call(self, run: str) -> None:
        if any(call["state"] == "open" for call in self.rows("calls", run)):
            raise RefusedError("call_open")

    def _resolve(self, call: str, state: str, answer: str | None, cost: int | None) -> None:
        self.db.execute("update calls set state = ?, answer = ?, cost = ? where call = ?", (state, answer, cost, call))

    def _lose(self, run: str, call: str, door: str, fence: int) -> None:
        self.db.execute("update calls set state = 'unknown' where call = ?", (call,))
        self._tell(run, "lost", door, fence, call)

    def _end(self, run: str, end: str, door: str, fence: int) -> None:
        for call in self.rows("calls", run):
            if call["state"] == "open":
                self._lose(run, call["call"], door, fence)
        self._seal(run, end, door, fence)

    def _seal(self, run: str, end: str, door: str, fence: int) -> None:
        """Over; or unknown, until somebody knows what became of every call."""
        is_unknown = any(map(is_unresolved, self.rows("calls", run)))
        state, sealed_for = ("unknown", end) if is_unknown else (end, None)
        self._set(run, state=state, sealed_for=sealed_for, worker=None, lease_until=None)
        self._tell(run, "sealed" if is_unknown else "ended", door, fence)

    def _set(self, run: str, **values: object) -> None:
        names = ", ".join(f"{name} = ?" for name in values)
        self.db.execute(f"update runs set {names} where run = ?", (*values.values(), run))

    def _tell(self, run: str, type_: str, door: str, fence: int | None = None, concerns: str | None = None) -> None:
        """Add an event, with a digest of it and of the one before: none can be exchanged without that showing."""
        before = self.rows("events", run)
        number, previous = len(before) + 1, before[-1]["digest"] if before else None
        fields = (number, type_, door, PRINCIPAL, fence, concerns, None, previous)
        text = "\n".join("" if field is None else str(field) for field in fields)
        digest = hashlib.sha256(text.encode()).hexdigest()
        event = (run, number, type_, door, fence, concerns, previous, digest)
        self.db.execute("insert into events values (?, ?, ?, ?, ?, ?, ?, ?)", event)


def is_unresolved(call: sqlite3.Row) -> bool:
    """Whether it happened, or what it cost, is not known."""
    return call["state"] in ("open", "unknown") or (call["state"] == "confirmed" and call["cost"] is None)
