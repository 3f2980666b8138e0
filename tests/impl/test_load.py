"""A small load in every run of the tests, and the verdict on a load: what it would notice."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from keepfact.impl.outcomes import Done
from keepfact.impl.store import Store

from .driving import Driver
from .load.asking import Asker, Reader
from .load.outside import Truth
from .load.rounds import carry_out
from .load.terms import Load
from .load.verdict import Aftermath, aftermath, complaints


def test_under_a_small_load_everything_is_killed_and_everything_is_as_it_must_be() -> None:
    result = carry_out(
        Load(runs=40, workers=3, recoveries=1, events_per_kill=(5, 20), database_kills=(0.3, 0.6), pace_seconds=0.0)
    )
    assert result.complaints == []
    assert result.kills["postgres"] == 2
    assert min(result.kills[kind] for kind in ("worker", "worker at work", "recovery", "gateway")) > 0
    assert result.states["succeeded"] > 0


ANSWER = '{"result": 1, "cost_cents": 4}'


@pytest.fixture
def left(run: Driver, store: Store, admin: psycopg.Connection) -> Aftermath:
    """What a run leaves that did one operation, sent it twice, and succeeded."""
    run.claimed().with_call("operation:1", kind="operation", recognises=True, sends_max=2, ceiling_cents=20)
    run.do("mark_unknown", call="operation:1")
    again = {"command_id": f"again-{run.run}", "run": run.run, "fence": 1, "call": run.id_of("operation:1")}
    assert store.perform("send_again", **again) == Done()
    run.do("record_answer", call="operation:1", answer=ANSWER, cost_cents=4)
    for body in ("planned", "done"):
        run.do("publish", body=body, qualified=True)
    assert run.do("succeed") == Done()
    truth = Truth(2, 1, 4, [])
    everything = aftermath(store, admin, {run.id_of("operation:1"): truth})
    truth.answers.append(hashlib.sha256(ANSWER.encode()).hexdigest())
    return Aftermath({run.run: run.view}, {run.run: everything.events[run.run]}, everything.truths)


def _said(left: Aftermath, store: Store, **seen: Any) -> list[str]:
    return complaints(left, Asker(store, 1, 0, store), Reader(store, **seen))


def test_what_is_as_it_must_be_is_not_complained_about(left: Aftermath, store: Store) -> None:
    assert _said(left, store) == []


Change = Callable[[dict[str, Any], list[tuple[Any, ...]], Truth], object]


@pytest.mark.parametrize(("change", "complaint"), [
    (lambda run, events, truth: run.update(state="running"), "it is running"),
    (lambda run, events, truth: run.update(worker="w"), "somebody still holds it"),
    (lambda run, events, truth: run.update(delivered=None), "it succeeded, and delivered None"),
    (lambda run, events, truth: run.update(known_cents=3), "it cost 4, and between 3 and 3 was said"),
    (lambda run, events, truth: run.update(unresolved=1, state="unknown"), "its ends are"),
    (lambda run, events, truth: run.update(children=[{"spawn": "s", "child": "c"}]), "its children are"),
    (lambda run, events, truth: events.pop(2), "its numbers have gaps"),
    (lambda run, events, truth: events.append(events[-1]), "its numbers have gaps"),
    (lambda run, events, truth: events.__setitem__(3, (*events[3][:9], "{}")), "event 4 does not belong to its chain"),
    (lambda run, events, truth: events.__setitem__(3, (4, "ended", *events[3][2:])), "event 4 does not belong"),
    (lambda run, events, truth: setattr(truth, "acts", 2), "it acted 2 times"),
    (lambda run, events, truth: setattr(truth, "acts", 0), "its operation did not act once"),
    (lambda run, events, truth: setattr(truth, "requests", 3), "was to be sent 2 times, and 3 requests came"),
    (lambda run, events, truth: truth.answers.clear(), "was never given"),
    (lambda run, events, truth: run.update(calls=[]), "it was asked outside, and never intended"),
])  # fmt: skip
def test_what_is_not_as_it_must_be_is_noticed(left: Aftermath, store: Store, change: Change, complaint: str) -> None:
    run = json.loads(json.dumps(left.runs))
    name, truth = next(iter(run)), next(iter(left.truths.values()))
    events = list(left.events[name])
    change(run[name], events, truth)
    said = _said(replace(left, runs=run, events={name: events}), store)
    assert any(complaint in one for one in said), said


def test_what_was_read_or_acknowledged_and_is_gone_is_noticed(left: Aftermath, store: Store) -> None:
    name = next(iter(left.runs))
    number = len(left.events[name])
    assert _said(left, store, seen={name: (number, left.events[name][-1][8])}) == []
    assert _said(left, store, seen={name: (number, "another")}) == [
        f"event {number} of {name} was read and is not there any more"
    ]
    asker = Asker(store, 1, 0, store)
    asker.ask("submit", f"c-{name}", run=f"other-{name}", contract="settle", budget_cents=1)
    forgotten = replace(left, events={**left.events, f"other-{name}": []})
    assert complaints(forgotten, asker, Reader(store)) == [
        f"c-{name} was acknowledged and is not in the history of other-{name}"
    ]
