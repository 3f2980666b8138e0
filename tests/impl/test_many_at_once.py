"""Many commands at once on one family of runs: each is done or refused, and what is left is a history without a gap."""

import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from keepfact.conformance.systems.postgres.views import run_view
from keepfact.impl.outcomes import Done, Outcome, Refused
from keepfact.spec.chain import event_digest

from . import stages as at
from . import stages_of_people as people
from .driving import PATIENCE_SECONDS, Driver, fresh
from .folding import folded

THREADS, COMMANDS_EACH = 6, 40
FAMILIES, CHILDREN = 20, 4

Ask = Callable[[Driver, random.Random], Outcome]

ASKED: list[Ask] = [
    lambda run, _: run.do("cancel"),
    lambda run, _: run.do("fail"),
    lambda run, chance: run.do("spawn", spawn=fresh("spawn"), child=_any(run, chance).run, budget_cents=1),
    lambda run, _: run.do("publish", body=people.LARGE, qualified=True),
    lambda run, _: run.do("purge", payload=people.LARGE_DIGEST),
    lambda run, _: run.do("wait", wait=fresh("w"), kind="timer", digest="d", seconds=0),
    lambda run, chance: run.do("deliver", wait="w", kind="callback", number=chance.randint(1, 9), digest="d"),
    lambda run, _: run.do("recover", worker="w"),
    lambda run, _: run.do("claim", worker="w"),
    lambda run, _: run.do("claim", run=None, worker="w"),
    lambda run, _: run.do("intend", call=fresh("call")),
    lambda run, _: run.do("retire", bundle="bundle-1"),
    lambda run, _: run.do("submit", contract="resume", budget_cents=100, request="request"),
    lambda run, chance: run.do(
        "continue", source=_any(run, chance).run, user_="reader", contract="settle", budget_cents=100
    ),
    lambda run, _: run.do("migrate"),
    lambda run, _: run.do("end_migration"),
]
"""What meets: everything that holds more than one lock, and what it meets there."""


def _any(run: Driver, chance: random.Random) -> Driver:
    """A run of the family."""
    family = run.run.partition("/")[0]
    return Driver(run.store, run.admin, f"{family}/{chance.randint(0, 9)}", fence=chance.choice((0, 1, 1, 1, 2)))


@pytest.mark.parametrize("seed", range(2))
def test_nobody_waits_for_ever_and_nothing_is_torn(alone: Driver, seed: int) -> None:
    alone.run += "/0"
    at.done(at.running(alone).do("publish", body=people.LARGE, qualified=True))

    def ask_on(number: int) -> list[Outcome]:
        chance = random.Random(f"{seed} {number}")
        return [chance.choice(ASKED)(_any(alone, chance), chance) for _ in range(COMMANDS_EACH)]

    with ThreadPoolExecutor(THREADS) as threads:
        outcomes = [outcome for asked in threads.map(ask_on, range(THREADS)) for outcome in asked]
    assert {type(outcome) for outcome in outcomes} == {Done, Refused}
    family = alone.store.observe([_member(alone, number) for number in range(10)], payloads=True)
    assert len(family) > 1
    for view in family:
        history = run_view(view, {}).history
        assert [event.number for event in history] == list(range(1, len(history) + 1))
        assert all(event.digest == event_digest(event) for event in history)
        told = folded(view["history"])
        assert {name: told[name] for name in ("state", "fence", "children", "calls")} == {
            name: view[name] for name in ("state", "fence", "children", "calls")
        }


def test_whole_families_may_be_cancelled_while_each_child_ends(alone: Driver) -> None:
    """The order in which they meet is left to chance, many times over."""
    start = threading.Barrier(CHILDREN + 1)

    def ask(run: Driver, command: str) -> Outcome:
        start.wait()
        return run.do(command)

    with ThreadPoolExecutor(CHILDREN + 1) as threads:
        for number in range(FAMILIES):
            parent = at.running(Driver(alone.store, alone.admin, f"{alone.run}/{number}"))
            children = [Driver(alone.store, alone.admin, f"{parent.run}/{one}") for one in range(CHILDREN)]
            for child in children:
                at.done(parent.do("spawn", spawn=child.run, child=child.run, budget_cents=1))
                child.granted("claim", worker="w")
            asked = [threads.submit(ask, parent, "cancel"), *(threads.submit(ask, child, "fail") for child in children)]
            outcomes = [future.result(PATIENCE_SECONDS) for future in asked]
            assert outcomes[0] == Done()
            assert set(outcomes) <= {Done(), Refused("cancelling")}
            states = [child.view["state"] for child in children]
            assert states == ["failed" if outcome == Done() else "cancelling" for outcome in outcomes[1:]]


def _member(run: Driver, number: int) -> str:
    return f"{run.run.partition('/')[0]}/{number}"
