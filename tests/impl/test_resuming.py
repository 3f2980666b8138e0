"""Under the contract that goes on, a run whose worker was lost is granted again, unless too many died on one step."""

import pytest

from keepfact.impl.outcomes import Done, Refused
from keepfact.impl.prepared import Value

from . import stages as at
from . import stages_of_people as people
from .driving import Driver
from .stages import child_of


def _died(run: Driver) -> Driver:
    """The run after its worker was lost once, granted to the next."""
    return run.lapsed().granted("recover", worker="next")


def test_a_lost_worker_is_followed_by_another_under_the_next_fence(alone: Driver) -> None:
    at.resuming(alone).with_call()
    _died(alone)
    assert (alone.view["state"], alone.view["worker"], alone.view["fence"]) == ("running", "next", 2)
    assert (alone.view["deaths"], alone.view["lease_left_seconds"]) == (1, 30)
    assert [(event["type"], event["entry_point"], event["fence"]) for event in alone.view["history"][-2:]] == [
        ("lost", "recover", 1),
        ("granted", "recover", 2),
    ]
    assert alone.call()["state"] == "unknown"


def test_the_second_death_on_a_step_settles_the_run(alone: Driver) -> None:
    _died(at.resuming(alone))
    assert alone.lapsed().do("recover", worker="third") == Done()
    assert (alone.view["state"], alone.view["deaths"], alone.view["fence"]) == ("interrupted", 2, 2)


def test_the_second_death_with_something_open_leaves_the_run_unknown(alone: Driver) -> None:
    _died(at.resuming(alone))
    alone.with_call()
    _died(alone).lapsed()
    assert alone.do("recover", worker="third") == Done()
    assert (alone.view["state"], alone.view["sealed_for"]) == ("unknown", "interrupted")


PROGRESS: list[tuple[str, dict[str, Value]]] = [
    ("intend", {"call": "b"}),
    ("publish", {"body": "b", "qualified": False}),
    ("mark", {"marker": "faster", "branch": "old"}),
    ("save_material", {"material": "m", "source": "s", "digest": "d", "as_of": None, "fresh_seconds": 1}),
    ("spawn", {"spawn": "s", "child": "{run}-child", "budget_cents": 1}),
    ("wait", {"wait": "w", "kind": "timer", "digest": "d", "seconds": 1}),
    (
        "request_approval",
        {"wait": "p", "call": "pay", "digest": "d", "risk": "low", "basis": "the plan", "seconds": 60},
    ),
]


@pytest.mark.parametrize(("command", "fields"), PROGRESS)
def test_progress_makes_deaths_count_anew(alone: Driver, command: str, fields: dict[str, Value]) -> None:
    _died(at.resuming(alone))
    fields = {name: value.format(run=alone.run) if isinstance(value, str) else value for name, value in fields.items()}
    assert alone.do(command, **fields) == Done()
    assert alone.view["deaths"] == 0


def test_an_answer_and_a_second_sending_are_progress_too(alone: Driver) -> None:
    at.resuming(alone).with_call(kind="operation", recognises=True, sends_max=2)
    _died(alone)
    assert alone.do("send_again", call="a") == Done()
    assert alone.view["deaths"] == 0
    _died(alone)
    alone.do("send_again", call="a")
    assert alone.do("reconcile", call="a", evidence="confirmed", cost_cents=1) == Done()
    assert alone.view["deaths"] == 1
    alone.with_call("b")
    assert alone.view["deaths"] == 0


@pytest.mark.parametrize("command", ["renew", "intend", "spawn", "mark"])
def test_what_changes_nothing_is_no_progress(alone: Driver, command: str) -> None:
    at.resuming(alone).with_call()
    at.done(alone.do("record_answer", call="a", answer="yes", cost_cents=1))
    at.done(alone.do("spawn", spawn="s", child=child_of(alone).run, budget_cents=1))
    at.done(alone.do("mark", marker="faster", branch="old"))
    _died(alone)
    again: dict[str, dict[str, Value]] = {
        "intend": {"call": "a"},
        "spawn": {"spawn": "s", "child": child_of(alone).run, "budget_cents": 1},
        "mark": {"marker": "faster", "branch": "old"},
    }
    assert alone.do(command, **again.get(command, {})) == Done()
    assert alone.view["deaths"] == 1


def test_a_run_does_not_go_on_beside_an_operation_of_which_nobody_knows(alone: Driver) -> None:
    at.resuming(alone).with_call(kind="operation")
    _died(alone)
    assert alone.do("intend", call="b") == Refused("unresolved")
    assert alone.do("reconcile", call="a", evidence="confirmed", cost_cents=None) == Done()
    assert alone.do("intend", call="b") == Done()


def test_an_attempt_of_which_nobody_knows_may_be_superseded(alone: Driver) -> None:
    at.resuming(alone).with_call()
    _died(alone)
    assert alone.do("intend", call="b", supersedes="a") == Done()


def test_under_the_other_contract_a_run_may_go_on_beside_it(alone: Driver) -> None:
    assert at.lost_operation(alone).do("intend", call="b") == Done()


def test_a_sweep_that_saw_an_older_fence_does_nothing(alone: Driver) -> None:
    at.resuming(alone).lapsed()
    (seen,) = alone.store.lost_runs()
    assert seen == {"run": alone.run, "contract": "resume", "bundle": "bundle-1", "state": "running", "fence": 1}
    alone.granted("recover", worker="first", seen_fence=seen["fence"]).lapsed()
    assert alone.do("recover", worker="second", seen_fence=seen["fence"]) == Refused("stale_fence")


def test_a_release_that_does_not_support_the_bundle_leaves_the_run_to_others(alone: Driver) -> None:
    people.on_second_bundle(alone)
    alone.admin.execute("update keepfact.runs set contract = 'resume' where run = %s", [alone.run])
    assert alone.lapsed().do("recover", worker="w") == Refused("unsupported_bundle")
    assert alone.granted("recover", worker="w", supports=("bundle-1", "bundle-2")).fence == 2


def test_a_wake_is_not_a_death_and_counts_them_anew(alone: Driver) -> None:
    _died(at.resuming(alone))
    at.done(alone.do("wait", wait="w", kind="timer", digest="d", seconds=0))
    at.done(alone.do("deliver", wait="w", kind="timer", number=1, digest="came"))
    assert alone.granted("wake", wait="w", worker="w", digest="d").view["deaths"] == 0
