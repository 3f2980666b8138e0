"""The database is killed under a worker that has a request outside, stays away for a while, and comes back."""

from collections.abc import Iterator

import pytest

from keepfact.impl.installation import Installation
from keepfact.impl.store import Store

from .driving import Driver, wait_until
from .load.postgres import Postgres, restartable_postgres
from .outside_world import OutsideWorld, outside_world
from .staff import staff

MODEL, TOOL = "/v1/chat/completions", "/tools/pay"


@pytest.fixture
def mortal() -> Iterator[Postgres]:
    with restartable_postgres() as started:
        yield started


@pytest.fixture
def world() -> Iterator[OutsideWorld]:
    with outside_world() as opened:
        yield opened


def test_a_worker_outlives_its_database_and_records_what_came_meanwhile(mortal: Postgres, world: OutsideWorld) -> None:
    """It is told the answer while nobody can be told of it. Then it takes up the next run as if nothing had been."""
    with Installation.create(mortal.dsn) as own, staff(own, world.url) as hired:
        store = Store(own.dsns)
        with own.admin_connection() as admin:
            first, second = Driver(store, admin).submitted(), Driver(store, admin).submitted()
            held = world.held(MODEL)
            worker = hired.worker()
            held.wait_until_reached()
        mortal.kill()
        held.let_go()
        mortal.start()
        wait_until(lambda: second.view["state"] == "succeeded")
        assert (first.view["state"], first.view["fence"], first.view["known_cents"]) == ("succeeded", 1, 14)
        assert world.paths() == [MODEL, TOOL] * 2
        assert worker.poll() is None
        store.close()
