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
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from keepfact.impl.insisting import StoppedError
from keepfact.impl.installation import Installation
from keepfact.impl.settings import dsn_name
from keepfact.impl.store import Store

from .. import errands
from ..warden import warden
from .answering import Answerer
from .asking import Asker, Reader
from .door import Gateway
from .fleet import Fleet
from .judging import judge, kills_missing, outcries, wait_for_evidence
from .outside import outside
from .postgres import Postgres, restartable_postgres
from .terms import Load, Result
from .verdict import ENDS

LEASE_SECONDS = 2
PAUSE_SECONDS = 0.1
ROOT = Path(__file__).parents[3]
DOORS = ("work", "observe", "wake", "recover", "reconcile", "deliver", "submit", "decide", "cancel")


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
                wait_for_evidence(load, admin, result)
        result.ends = fleet.ends
        with installation.admin_connection() as admin:
            judge(store, admin, url, asker, reader, result)
        result.complaints += kills_missing(load, result.kills) + outcries(logs)
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
    with warden() as guard, Fleet(environment, logs, guard) as fleet:
        fleet.add("worker", load.workers, "-m", "keepfact.impl.worker", "--all", "--worker", "{name}")
        fleet.add("recovery", load.recoveries, "-m", "keepfact.impl.recovery")
        fleet.add("gateway", load.gateways, "-m", "keepfact.impl.gateway")
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
    written, looks_in_vain = 0, 0
    while looks_in_vain < load.looks_in_vain_max:
        time.sleep(PAUSE_SECONDS)
        seen = _look(installation)
        looks_in_vain = 0 if seen.events > written else looks_in_vain + 1
        written = seen.events
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
    states = dict(_look(installation).states)
    result.complaints.append(f"nothing was written any more, and the runs are {states}")


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


@contextmanager
def _directory() -> Iterator[str]:
    directory = tempfile.mkdtemp(prefix="keepfact-load-logs-")
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)
