"""One load from its first run to the verdict: everything is started, killed again and again, and looked at."""

import os
import random
import shutil
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import psycopg

from keepfact.impl.insisting import StoppedError
from keepfact.impl.installation import Installation
from keepfact.impl.settings import dsn_name
from keepfact.impl.store import Store

from .. import errands
from .answering import Answerer
from .asking import Asker, Reader
from .door import Gateway
from .fleet import Fleet
from .outside import Truth, outside, truths_at
from .postgres import Postgres, restartable_postgres
from .verdict import ENDS, Aftermath, aftermath, complaints

LEASE_SECONDS = 2
PAUSE_SECONDS = 0.1
ROOT = Path(__file__).parents[3]
DOORS = ("work", "observe", "wake", "recover", "reconcile", "deliver", "submit", "decide", "cancel")


@dataclass(frozen=True)
class Load:
    """How much, and how hard: a process is killed whenever so many events have been written since the last, and the
    database when that share of the runs is through.
    """

    runs: int = 500
    workers: int = 8
    recoveries: int = 2
    gateways: int = 1
    """One, or none: then the store is asked directly."""
    seed: int = 1
    events_per_kill: tuple[int, int] = (10, 50)
    database_kills: tuple[float, ...] = (0.2, 0.5, 0.8)
    pace_seconds: float = 0.02
    patience_seconds: float = 600.0


@dataclass
class Result:
    """What was delivered, what came of it, and everything that is not as it must be."""

    kills: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    states: Counter[str] = field(default_factory=Counter)
    after_evidence: Counter[str] = field(default_factory=Counter)
    figures: dict[str, float] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)


def carry_out(load: Load) -> Result:
    """Run the load to its end; nothing that was started outlives it."""
    result = Result()
    with ExitStack() as stack:
        logs = Path(stack.enter_context(_directory()))
        server = stack.enter_context(restartable_postgres())
        installation = stack.enter_context(Installation.create(server.dsn))
        url = stack.enter_context(outside(load.seed, logs / "outside.log"))
        store = Store(installation.dsns)
        stack.callback(store.close)
        with installation.admin_connection() as admin:
            admin.execute("update keepfact.settings set lease_seconds = %s", [LEASE_SECONDS])
            installation.trust_logins(admin)  # those of a gateway, which says for whom it asks
        gateway = stack.enter_context(closing(Gateway(logs)))
        asker = Asker(store, load.seed, load.runs, gateway if load.gateways else store)
        reader, answerer = Reader(store), Answerer(store, asker)
        started = time.monotonic()
        with _fleet(load, installation, url, gateway, logs) as fleet, _at_work(load, asker, reader, answerer):
            _break_everything(load, fleet, server, installation, result)
            result.figures["seconds of load"] = round(time.monotonic() - started, 1)
            result.kills = fleet.kills + Counter({"postgres": server.kills})
            with installation.admin_connection() as admin:
                _wait_for_evidence(load, admin, result)
        result.ends = fleet.ends
        with installation.admin_connection() as admin:
            _judge(store, admin, url, asker, reader, result)
        result.complaints += _kills_missing(load, result.kills) + _outcries(logs)
    return result


@contextmanager
def _fleet(load: Load, installation: Installation, url: str, gateway: Gateway, logs: Path) -> Iterator[Fleet]:
    environment = {
        **{dsn_name(door): installation.dsns[door] for door in DOORS},
        "KEEPFACT_MODEL_URL": url,
        "KEEPFACT_TOOL_URL": url,
        "KEEPFACT_REQUEST_SECONDS": "5",
        "KEEPFACT_RELEASE": errands.NAME,
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
        **gateway.environment(),
    }
    fleet = Fleet(environment, logs)
    fleet.add("worker", load.workers, "-m", "keepfact.impl.worker", "--all", "--worker", "{name}")
    fleet.add("recovery", load.recoveries, "-m", "keepfact.impl.recovery")
    fleet.add("gateway", load.gateways, "-m", "keepfact.impl.gateway")
    with fleet:
        yield fleet


@contextmanager
def _at_work(load: Load, asker: Asker, reader: Reader, answerer: Answerer) -> Iterator[None]:
    """Somebody asks for runs, somebody reads, and somebody answers, meanwhile."""
    works: list[Callable[[], None]] = [partial(asker.submit_all, load.pace_seconds), reader.read, answerer.answer_all]
    threads = [threading.Thread(target=_until_stopped, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for over in (reader.over, answerer.over, asker.over):
            over.set()
        for thread in threads:
            thread.join()
        asker.over.clear()  # what was answered is asked for again, afterwards


def _until_stopped(work: Callable[[], None]) -> None:
    with suppress(StoppedError):
        work()


def _break_everything(load: Load, fleet: Fleet, server: Postgres, installation: Installation, result: Result) -> None:
    """Kill, until every run that was asked for is through, and every child of one."""
    chance = random.Random(load.seed)
    due, next_kill = list(load.database_kills), 0
    deadline = time.monotonic() + load.patience_seconds
    while time.monotonic() < deadline:
        time.sleep(PAUSE_SECONDS)
        seen = _look(installation)
        through = sum(count for state, count in seen.states.items() if state in ENDS | {"unknown"})
        if not due and load.runs <= seen.states.total() == through:
            return
        if seen.events >= next_kill:
            next_kill = seen.events + chance.randint(*load.events_per_kill)
            kind = chance.choices(("worker", "recovery", "gateway"), (10, 2, 1))[0]
            fleet.kill_one(kind, chance, seen.busy if chance.random() < 0.7 else ())
        if due and through >= due[0] * load.runs:
            due.pop(0)
            server.kill()
            time.sleep(chance.uniform(0.1, 1.5))
            server.start()
    result.complaints.append(f"after {load.patience_seconds} seconds the runs are {dict(_look(installation).states)}")


@dataclass(frozen=True)
class Seen:
    """How many runs are in each state, how many events there are, and which workers hold a run."""

    states: Counter[str]
    events: int
    busy: list[str]


def _look(installation: Installation) -> Seen:
    with installation.admin_connection() as admin:
        states = admin.execute("select state, count(*) from keepfact.runs group by state").fetchall()
        events = admin.execute("select count(*) from keepfact.events").fetchone()
        busy = admin.execute("select worker from keepfact.runs where lease_until > keepfact.store_now()").fetchall()
    assert events is not None
    return Seen(Counter(dict(states)), events[0], [worker for (worker,) in busy])


def _wait_for_evidence(load: Load, admin: psycopg.Connection, result: Result) -> None:
    """Nobody is killed any more: what the tools know is found out by recovery alone."""
    deadline = time.monotonic() + load.patience_seconds
    while _unasked(admin):
        if time.monotonic() > deadline:
            result.complaints.append("what the tools know was not found out")
            return
        time.sleep(PAUSE_SECONDS)


def _unasked(admin: psycopg.Connection) -> list[str]:
    """The operations of sealed runs that a tool was not heard about yet; a fax cannot be found out."""
    calls = admin.execute(
        "select c.call from keepfact.calls c join keepfact.runs r using (run) "
        "where r.state = 'unknown' and c.kind = 'operation' and c.unresolved and not exists ("
        "  select from keepfact.events e where e.run = c.run and e.concerns = c.call and e.type = 'reconciled')"
    )
    return [call for (call,) in calls]


def _judge(store: Store, admin: psycopg.Connection, url: str, asker: Asker, reader: Reader, result: Result) -> None:
    """Before and after the bill: a named person says of each call that nobody could be asked about what it cost."""
    truths = truths_at(url)
    left = aftermath(store, admin, truths)
    result.states = Counter(run["state"] for run in left.runs.values())
    result.complaints += complaints(left, asker, reader)
    _bring_the_bill(asker, left, truths)
    settled = aftermath(store, admin, truths)
    result.after_evidence = Counter(run["state"] for run in settled.runs.values())
    result.complaints += [f"after the bill {said}" for said in complaints(settled, asker, reader)]
    result.complaints += [f"{run} is {shown['state']} after the bill" for run, shown in settled.runs.items()
                          if shown["state"] not in ENDS or shown["held_cents"]]  # fmt: skip
    result.figures |= {
        "runs": len(left.runs),
        "events": sum(map(len, settled.events.values())),
        "answers acknowledged": len(asker.answers),
        "answers lost and asked for again": asker.lost,
        "histories read meanwhile": reader.looks,
        "requests outside": sum(truth.requests for truth in truths.values()),
        "calls lost": sum(event[1] == "lost" for events in settled.events.values() for event in events),
        "calls sent again": sum(event[1] == "sent_again" for events in settled.events.values() for event in events),
        "grants by recovery": sum(
            event[1:3] == ("granted", "recover") for events in settled.events.values() for event in events
        ),
    }


def _bring_the_bill(asker: Asker, left: Aftermath, truths: dict[str, Truth]) -> None:
    """What was never found out, a named person knows."""
    for run in left.runs.values():
        for call in run["calls"]:
            truth = truths.get(call["call"], Truth())
            is_unresolved = call["state"] == "unknown" or (call["state"] == "confirmed" and call["cost_cents"] is None)
            if run["state"] == "unknown" and is_unresolved:
                acted = bool(truth.acts) or call["state"] == "confirmed"
                asker.hear(
                    asker.store,
                    "reconcile",
                    f"bill-{call['call']}",
                    run=run["run"],
                    call=call["call"],
                    evidence="confirmed" if acted else "not_found",
                    cost_cents=truth.cost_cents if acted else None,
                )


def _kills_missing(load: Load, kills: Counter[str]) -> list[str]:
    """A load that killed nothing shows nothing."""
    wanted = {
        "worker": 1,
        "worker at work": 1,
        "recovery": 1 if load.recoveries else 0,
        "postgres": len(load.database_kills),
    }
    return [f"{kind} was killed {kills[kind]} times" for kind, least in wanted.items() if kills[kind] < least]


def _outcries(logs: Path) -> list[str]:
    """Tracebacks of anybody, but for those of the program that is wrong on purpose."""
    texts = {log.name: log.read_text(errors="replace") for log in sorted(logs.glob("*.log"))}
    return [
        f"{name} says: {cry[:2000]}"
        for name, text in texts.items()
        for cry in text.split("Traceback (most recent call last):")[1:]
        if errands.WRONG not in cry
    ]


@contextmanager
def _directory() -> Iterator[str]:
    directory = tempfile.mkdtemp(prefix="keepfact-load-logs-")
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)
