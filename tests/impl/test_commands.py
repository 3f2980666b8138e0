"""What each command does and refuses, one line a case: the run so far, the command, the outcome."""

from collections.abc import Callable

import pytest

from keepfact.impl.outcomes import Done, Refused
from keepfact.impl.prepared import Value

from .driving import Driver

Stage = Callable[[Driver], Driver]


def _new(run: Driver) -> Driver:
    return run


def _queued(run: Driver) -> Driver:
    return run.submitted()


def _running(run: Driver) -> Driver:
    return run.claimed()


def _released(run: Driver) -> Driver:
    run.claimed().do("release")
    return run


def _lapsed(run: Driver) -> Driver:
    return run.claimed().lapsed()


def _open_call(run: Driver) -> Driver:
    return run.claimed().with_call()


def _lost_call(run: Driver) -> Driver:
    _open_call(run).do("mark_unknown", call="a")
    return run


def _lost_operation(run: Driver) -> Driver:
    run.claimed().with_call(kind="operation").do("mark_unknown", call="a")
    return run


def _answered_call(run: Driver) -> Driver:
    _open_call(run).do("record_answer", call="a", answer="yes", cost_cents=3)
    return run


def _answered_without_amount(run: Driver) -> Driver:
    _open_call(run).do("record_answer", call="a", answer="yes", cost_cents=None)
    return run


def _not_found_call(run: Driver) -> Driver:
    _lost_call(run).do("reconcile", call="a", evidence="not_found", cost_cents=None)
    return run


def _published(run: Driver) -> Driver:
    run.claimed().do("publish", body="b", qualified=True)
    return run


def _drafted(run: Driver) -> Driver:
    run.claimed().do("publish", body="b", qualified=False)
    return run


def _ended(run: Driver) -> Driver:
    _published(run).do("succeed")
    return run


def _sealed_as_unknown(run: Driver) -> Driver:
    _lost_call(run).do("fail")
    return run


REFUSALS: list[tuple[Stage, str, dict[str, Value], str]] = [
    (_new, "submit", {"contract": "settle", "budget_cents": -1}, "malformed"),
    (_new, "submit", {"contract": "other", "budget_cents": 1}, "malformed"),
    (_queued, "submit", {"contract": "settle", "budget_cents": 1}, "run_exists"),
    (_new, "claim", {"worker": "w"}, "no_such_run"),
    (_running, "claim", {"worker": "w"}, "lease_live"),
    (_lapsed, "claim", {"worker": "w"}, "not_queued"),
    (_ended, "claim", {"worker": "w"}, "sealed"),
    (_sealed_as_unknown, "claim", {"worker": "w"}, "sealed"),
    (_running, "release", {"fence": 0}, "stale_fence"),
    (_running, "release", {"fence": 2}, "stale_fence"),
    (_open_call, "release", {}, "call_open"),
    (_new, "intend", {"call": "a", "ceiling_cents": -1}, "malformed"),
    (_open_call, "intend", {"call": "a", "digest": "other"}, "call_id_conflict"),
    (_open_call, "intend", {"call": "a", "kind": "operation"}, "call_id_conflict"),
    (_open_call, "intend", {"call": "b", "supersedes": "a"}, "not_supersedable"),
    (_answered_call, "intend", {"call": "b", "supersedes": "a"}, "not_supersedable"),
    (_running, "intend", {"call": "b", "supersedes": "a"}, "not_supersedable"),
    (_lost_call, "intend", {"call": "b", "kind": "operation", "supersedes": "a"}, "not_supersedable"),
    (_lost_operation, "intend", {"call": "b", "supersedes": "a"}, "not_supersedable"),
    (_running, "intend", {"call": "a", "ceiling_cents": 101}, "over_budget"),
    (_open_call, "intend", {"call": "b", "ceiling_cents": 91}, "over_budget"),
    (_lost_call, "intend", {"call": "b", "ceiling_cents": 91}, "over_budget"),
    (_answered_call, "intend", {"call": "b", "ceiling_cents": 98}, "over_budget"),
    (_answered_without_amount, "intend", {"call": "b", "ceiling_cents": 91}, "over_budget"),
    (_running, "record_answer", {"call": "a", "answer": "", "cost_cents": -1}, "malformed"),
    (_running, "record_answer", {"call": "a", "answer": "", "cost_cents": 0}, "no_such_call"),
    (_lost_call, "record_answer", {"call": "a", "answer": "", "cost_cents": 0}, "call_not_open"),
    (_answered_call, "record_answer", {"call": "a", "answer": "", "cost_cents": 0}, "call_not_open"),
    (_running, "mark_unknown", {"call": "a"}, "no_such_call"),
    (_answered_call, "mark_unknown", {"call": "a"}, "call_not_open"),
    (_open_call, "succeed", {}, "call_open"),
    (_running, "succeed", {}, "not_qualified"),
    (_drafted, "succeed", {}, "not_qualified"),
    (_new, "recover", {}, "no_such_run"),
    (_queued, "recover", {}, "not_running"),
    (_running, "recover", {}, "lease_live"),
    (_ended, "recover", {}, "sealed"),
    (_new, "reconcile", {"call": "a", "evidence": "not_found", "cost_cents": 1}, "malformed"),
    (_new, "reconcile", {"call": "a", "evidence": "confirmed", "cost_cents": -1}, "malformed"),
    (_new, "reconcile", {"call": "a", "evidence": "hearsay", "cost_cents": None}, "malformed"),
    (_new, "reconcile", {"call": "a", "evidence": "ambiguous", "cost_cents": None}, "no_such_run"),
    (_running, "reconcile", {"call": "a", "evidence": "ambiguous", "cost_cents": None}, "no_such_call"),
    (_open_call, "reconcile", {"call": "a", "evidence": "ambiguous", "cost_cents": None}, "call_open"),
    (_answered_call, "reconcile", {"call": "a", "evidence": "ambiguous", "cost_cents": None}, "already_resolved"),
    (_not_found_call, "reconcile", {"call": "a", "evidence": "confirmed", "cost_cents": 1}, "already_resolved"),
    (_answered_without_amount, "reconcile", {"call": "a", "evidence": "not_found", "cost_cents": None}, "contradicted"),
]

WORKED: dict[str, dict[str, Value]] = {
    "renew": {},
    "release": {},
    "intend": {"call": "z"},
    "record_answer": {"call": "a", "answer": "late", "cost_cents": 1},
    "mark_unknown": {"call": "a"},
    "publish": {"body": "late", "qualified": True},
    "succeed": {},
    "fail": {},
}
LATE: list[tuple[Stage, dict[str, Value], str]] = [
    (_new, {}, "no_such_run"),
    (_open_call, {"fence": 0}, "stale_fence"),
    (_ended, {"fence": 0}, "stale_fence"),
    (_ended, {}, "sealed"),
    (_sealed_as_unknown, {}, "sealed"),
    (_released, {}, "not_running"),
    (_lapsed, {}, "lease_lapsed"),
]


@pytest.mark.parametrize(("stage", "command", "fields", "reason"), REFUSALS)
def test_a_refused_command_names_the_reason_and_changes_nothing(
    run: Driver, stage: Stage, command: str, fields: dict[str, Value], reason: str
) -> None:
    stage(run)
    before = run.store.observe([run.run])
    assert run.do(command, **fields) == Refused(reason)
    assert run.store.observe([run.run]) == before


@pytest.mark.parametrize("command", WORKED)
@pytest.mark.parametrize(("stage", "fields", "reason"), LATE)
def test_no_command_of_a_worker_gets_past_its_guard(
    run: Driver, command: str, stage: Stage, fields: dict[str, Value], reason: str
) -> None:
    stage(run)
    before = run.store.observe([run.run])
    assert run.do(command, **{**WORKED[command], **fields}) == Refused(reason)
    assert run.store.observe([run.run]) == before


def test_each_grant_has_a_higher_fence_than_the_one_before(run: Driver) -> None:
    run.claimed()
    run.do("release")
    again = run.do("claim", worker="w")
    assert isinstance(again, Done)
    assert again.grant is not None
    assert (run.fence, again.grant.fence) == (1, 2)
    assert again.grant.lease_seconds == run.view["lease_left_seconds"] == 30
    assert run.events == ["admitted", "granted", "released", "granted"]


def test_a_renewed_lease_is_full_again_and_the_history_does_not_grow(run: Driver) -> None:
    run.claimed()
    run.admin.execute("update keepfact.settings set frozen_at = frozen_at + interval '29.5 seconds'")
    assert run.view["lease_left_seconds"] == 1
    assert run.do("renew") == Done()
    assert run.view["lease_left_seconds"] == 30
    assert run.events == ["admitted", "granted"]


def test_the_same_intent_again_is_done_and_changes_nothing(run: Driver) -> None:
    run.claimed().with_call()
    before = run.view
    assert run.do("intend", call="a", ceiling_cents=99) == Done()
    assert run.view == before


def test_a_new_attempt_may_supersede_a_lost_one_and_one_not_found(run: Driver) -> None:
    _lost_call(run)
    assert run.do("intend", call="b", supersedes="a") == Done()
    run.do("reconcile", call="a", evidence="not_found", cost_cents=None)
    assert run.do("intend", call="c", supersedes="a") == Done()
    assert run.call("b")["supersedes"] == run.call("c")["supersedes"] == run.id_of("a")


def test_the_budget_may_be_used_up_to_the_last_cent(run: Driver) -> None:
    assert _answered_call(run).do("intend", call="b", ceiling_cents=97) == Done()
    assert (run.view["known_cents"], run.view["held_cents"], run.view["unresolved"]) == (3, 97, 1)


@pytest.mark.parametrize(
    ("cost_cents", "known", "held", "over"), [(0, 0, 0, False), (None, 0, 10, False), (11, 11, 0, True)]
)
def test_an_amount_is_recorded_in_full_and_a_missing_one_is_not_zero(
    run: Driver, cost_cents: int | None, known: int, held: int, over: bool
) -> None:
    _open_call(run).do("record_answer", call="a", answer="yes", cost_cents=cost_cents)
    assert (run.view["known_cents"], run.view["held_cents"]) == (known, held)
    assert (run.call()["state"], run.call()["answer"], run.call()["over_ceiling"]) == ("confirmed", "yes", over)


def test_success_with_a_cost_unresolved_waits_for_evidence(run: Driver) -> None:
    _lost_call(run).do("publish", body="b", qualified=True)
    assert run.do("succeed") == Done()
    assert (run.view["state"], run.view["sealed_for"], run.events[-1]) == ("unknown", "succeeded", "sealed")
    assert run.do("reconcile", call="a", evidence="confirmed", cost_cents=4) == Done()
    assert (run.view["state"], run.view["sealed_for"]) == ("succeeded", None)
    assert run.events[-2:] == ["reconciled", "ended"]


def test_ambiguous_evidence_is_recorded_and_resolves_nothing(run: Driver) -> None:
    _sealed_as_unknown(run)
    for _ in range(2):
        assert run.do("reconcile", call="a", evidence="ambiguous", cost_cents=None) == Done()
    assert (run.view["state"], run.view["held_cents"], run.call()["state"]) == ("unknown", 10, "unknown")
    assert run.events[-2:] == ["reconciled", "reconciled"]


def test_a_definite_not_found_ends_the_hold_at_zero(run: Driver) -> None:
    _sealed_as_unknown(run)
    assert run.do("reconcile", call="a", evidence="not_found", cost_cents=None) == Done()
    assert (run.view["state"], run.view["known_cents"], run.view["held_cents"]) == ("failed", 0, 0)
    assert (run.call()["state"], run.call()["cost_cents"]) == ("not_found", None)


@pytest.mark.parametrize(("command", "end"), [("fail", "failed"), ("recover", "interrupted")])
def test_what_was_in_flight_is_lost_in_order_of_intent_before_the_run_is_sealed(
    run: Driver, command: str, end: str
) -> None:
    run.claimed().with_call("z").with_call("a")
    if command == "recover":
        run.lapsed()
    assert run.do(command) == Done()
    assert [(event["type"], event["concerns"]) for event in run.view["history"][-3:]] == [
        ("lost", run.id_of("z")),
        ("lost", run.id_of("a")),
        ("sealed", None),
    ]
    assert (run.view["state"], run.view["sealed_for"]) == ("unknown", end)
    assert (run.view["worker"], run.view["lease_left_seconds"], run.view["fence"]) == (None, None, 1)


def test_a_run_delivers_its_last_qualified_version_and_only_once_it_is_sealed(run: Driver) -> None:
    _published(run).do("publish", body="draft", qualified=False)
    assert run.view["delivered"] is None
    run.lapsed().do("recover")
    assert run.view["delivered"] == {"version": 1, "partial": True}


def test_without_a_qualified_version_nothing_is_delivered(run: Driver) -> None:
    _drafted(run).lapsed().do("recover")
    assert (run.view["state"], run.view["delivered"]) == ("interrupted", None)


def test_a_repeated_command_gets_its_first_answer_whatever_happened_since(run: Driver) -> None:
    run.submitted()
    first = run.do("claim", worker="w", command_id=f"{run.run}-claim")
    run.fence = 1
    run.do("fail")
    before = run.view
    assert run.do("claim", worker="w", command_id=f"{run.run}-claim") == first
    assert run.do("claim", worker="other", command_id=f"{run.run}-claim") == Refused("command_id_conflict")
    assert run.do("renew", command_id=f"{run.run}-claim") == Refused("command_id_conflict")
    assert run.view == before


def test_a_refused_command_may_be_asked_again_under_its_id(run: Driver) -> None:
    refused = run.do("claim", worker="w", command_id=f"{run.run}-claim")
    assert refused == Refused("no_such_run")
    assert isinstance(run.submitted().do("claim", worker="w", command_id=f"{run.run}-claim"), Done)
