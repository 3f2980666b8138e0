"""Two commands that meet end as if one had come after the other, and neither stands in the other's way for ever."""

import pytest

from keepfact.impl.outcomes import Done, Outcome, Refused
from keepfact.impl.prepared import Value

from . import stages as at
from . import stages_of_people as people
from .driving import Driver, fresh, identity_of
from .side_by_side import Meeting
from .stages import child_of
from .successes import fields_of

RUN = "select from keepfact.runs where run = %s for no key update"
BUNDLE = "select from keepfact.bundles where tenant = %s and bundle = %s for no key update"
PAYLOAD = "select from keepfact.payloads where tenant = %s and digest = %s for update"


def _other(run: Driver) -> Driver:
    """Another run of the same tenant."""
    return Driver(run.store, run.admin, fresh("other"))


def _spawns(run: Driver, child: str) -> Outcome:
    return run.do("spawn", spawn=child, child=child, budget_cents=1)


def _states(*runs: Driver) -> list[str]:
    return [run.view["state"] for run in runs]


def test_a_child_that_is_born_before_its_parent_is_cancelled_is_asked_to_stop_too(
    alone: Driver, meeting: Meeting
) -> None:
    child = child_of(at.running(alone))
    outcomes = meeting.behind(RUN, [alone.run], lambda: _spawns(alone, child.run), lambda: alone.do("cancel"))
    assert outcomes == [Done(), Done()]
    assert _states(alone, child) == ["cancelling", "cancelling"]


def test_no_child_is_born_after_its_parent_was_cancelled(alone: Driver, meeting: Meeting) -> None:
    child = child_of(at.running(alone))
    outcomes = meeting.behind(RUN, [alone.run], lambda: alone.do("cancel"), lambda: _spawns(alone, child.run))
    assert outcomes == [Done(), Refused("cancelling")]
    assert alone.store.observe([child.run]) == []


def test_a_parent_and_its_child_may_be_cancelled_at_once(alone: Driver, meeting: Meeting) -> None:
    child = child_of(at.spawned(alone))
    outcomes = meeting.behind(RUN, [child.run], lambda: alone.do("cancel"), lambda: child.do("cancel"))
    assert outcomes == [Done(), Refused("cancelling")]
    assert (child.events.count("cancel_requested"), _states(alone, child)) == (1, ["cancelling", "cancelling"])


def test_a_grandchild_that_is_born_while_its_grandparent_is_being_cancelled_is_asked_to_stop(
    alone: Driver, meeting: Meeting
) -> None:
    child = child_of(at.spawned(alone)).granted("claim", worker="w")
    grandchild = child_of(child)
    outcomes = meeting.behind(RUN, [child.run], lambda: _spawns(child, grandchild.run), lambda: alone.do("cancel"))
    assert outcomes == [Done(), Done()]
    assert _states(alone, child, grandchild) == ["cancelling"] * 3


def test_a_child_that_ends_while_its_parent_is_being_cancelled_has_its_end(alone: Driver, meeting: Meeting) -> None:
    child = child_of(at.spawned(alone)).granted("claim", worker="w")
    outcomes = meeting.behind(RUN, [child.run], lambda: child.do("fail"), lambda: alone.do("cancel"))
    assert outcomes == [Done(), Done()]
    assert _states(alone, child) == ["cancelling", "failed"]


@pytest.mark.parametrize("again", ["recover", "wake", "fail"])
def test_a_child_that_is_written_to_twice_does_not_wait_for_its_parent(
    alone: Driver, meeting: Meeting, again: str
) -> None:
    """The second update of a row in one transaction makes the server check its reference to the parent, which a cancel
    holds that waits for the child."""
    child = child_of(at.spawned(alone)).granted("claim", worker="w")
    if again == "wake":
        at.done(child.do("wait", wait="w", kind="timer", digest="d", seconds=0))
        at.done(child.do("deliver", wait="w", kind="timer", number=1, digest="came"))
    if again == "recover":
        child.lapsed()
    fields: dict[str, Value] = {"wait": "w", "worker": "w", "digest": "d"} if again == "wake" else {}
    outcomes = meeting.behind(RUN, [child.run], lambda: child.do(again, **fields), lambda: alone.do("cancel"))
    assert [type(outcome) for outcome in outcomes] == [Done, Done]


def test_a_bundle_that_a_run_is_just_being_admitted_to_is_needed(alone: Driver, meeting: Meeting) -> None:
    outcomes = meeting.behind(
        BUNDLE, [_tenant(alone), "bundle-1"], lambda: _submit(alone), lambda: alone.do("retire", bundle="bundle-1")
    )
    assert outcomes == [Done(), Refused("bundle_needed", (alone.run,))]


def test_nothing_is_admitted_to_a_bundle_that_was_just_retired(alone: Driver, meeting: Meeting) -> None:
    outcomes = meeting.behind(
        BUNDLE, [_tenant(alone), "bundle-1"], lambda: alone.do("retire", bundle="bundle-1"), lambda: _submit(alone)
    )
    assert outcomes == [Done(), Refused("no_such_bundle")]


def test_when_the_latest_bundle_was_just_retired_the_one_before_is_the_latest(alone: Driver, meeting: Meeting) -> None:
    people.deployed(alone)
    outcomes = meeting.behind(
        BUNDLE, [_tenant(alone), "bundle-2"], lambda: alone.do("retire", bundle="bundle-2"), lambda: _submit(alone)
    )
    assert outcomes == [Done(), Done()]
    assert alone.view["bundle"] == "bundle-1"


def test_a_text_that_is_published_while_it_is_being_purged_is_kept_anew(alone: Driver, meeting: Meeting) -> None:
    second = _other(people.large_and_over(alone)).claimed()
    payload = [_tenant(alone), people.LARGE_DIGEST]
    outcomes = meeting.behind(PAYLOAD, payload, lambda: _purge(alone), lambda: _publish(second))
    assert outcomes == [Done(), Done()]
    assert second.view["publications"][0]["body"] == alone.view["publications"][0]["body"] == people.LARGE


def test_a_text_that_was_just_published_again_is_needed(alone: Driver, meeting: Meeting) -> None:
    second = _other(people.large_and_over(alone)).claimed()
    payload = [_tenant(alone), people.LARGE_DIGEST]
    outcomes = meeting.behind(PAYLOAD, payload, lambda: _publish(second), lambda: _purge(alone))
    assert outcomes == [Done(), Refused("payload_needed", (second.run,))]


def test_a_text_that_a_finding_was_just_saved_on_is_needed(alone: Driver, meeting: Meeting) -> None:
    second = _other(people.large_and_over(alone)).claimed()
    finding: dict[str, Value] = {**fields_of(second, "save_material"), "digest": people.LARGE_DIGEST}
    payload = [_tenant(alone), people.LARGE_DIGEST]
    outcomes = meeting.behind(
        PAYLOAD, payload, lambda: second.store.perform("save_material", **finding), lambda: _purge(alone)
    )
    assert outcomes == [Done(), Refused("payload_needed", (second.run,))]


def test_an_old_worker_that_is_just_being_granted_a_run_holds_up_the_end_of_the_migration(
    alone: Driver, meeting: Meeting
) -> None:
    people.migrating(at.queued(alone))
    claim = lambda: alone.do("claim", worker="w", schema=1)  # noqa: E731
    outcomes = meeting.behind(RUN, [alone.run], claim, lambda: alone.do("end_migration"))
    assert isinstance(outcomes[0], Done)
    assert outcomes[1] == Refused("old_worker_live", (alone.run,))


def test_an_old_worker_that_comes_while_the_migration_ends_is_not_served(alone: Driver, meeting: Meeting) -> None:
    people.migrating(at.queued(alone))
    claim = lambda: alone.do("claim", worker="w", schema=1)  # noqa: E731
    outcomes = meeting.behind("select from keepfact.settings for update", [], lambda: alone.do("end_migration"), claim)
    assert outcomes == [Done(), Refused("unsupported_schema")]


FIRST_TAKES_IT: list[tuple[str, str]] = [
    ("call id", "call_id_conflict"),
    ("request", "request_taken"),
    ("run id", "run_exists"),
    ("bundle", "bundle_exists"),
    ("child", "run_exists"),
]


@pytest.mark.parametrize("commits", [True, False])
@pytest.mark.parametrize(("what", "reason"), FIRST_TAKES_IT)
def test_of_two_that_want_the_same_name_the_second_waits_for_the_first(
    alone: Driver, meeting: Meeting, what: str, reason: str, commits: bool
) -> None:
    """And gets it, if the first comes to nothing."""
    second = _other(alone)
    command = {"call id": "intend", "bundle": "deploy", "child": "spawn"}.get(what, "submit")
    if command in ("intend", "spawn"):
        alone.claimed()
        second.claimed()
    first = fields_of(alone, command)
    if what == "run id":
        second.run = alone.run
    wanted = {**first, "command_id": fresh("command")}
    if what != "bundle":
        wanted["run"] = second.run
    if what == "run id":
        wanted["request"] = "another"
    ask = lambda: second.store.perform(command, **wanted)  # noqa: E731
    outcome = meeting.after((alone, command, first), ask, commits)
    assert outcome == (Refused(reason) if commits else Done())


@pytest.mark.parametrize(("what", "reason"), [("policy", "drifted"), ("permission", "not_permitted")])
def test_what_changes_while_an_approval_is_being_used_is_seen(
    alone: Driver, meeting: Meeting, what: str, reason: str
) -> None:
    people.approved(alone)
    pay: dict[str, Value] = {**fields_of(alone, "intend"), "call": alone.id_of("pay"), "approval": "p"}
    changes = "select keepfact.change_in_force(%s, %s)"
    outcomes = meeting.behind(changes, [_tenant(alone), what], lambda: alone.store.perform("intend", **pay))
    assert outcomes == [Refused(reason)]


def test_a_permission_that_is_withdrawn_while_a_person_approves_is_gone(alone: Driver, meeting: Meeting) -> None:
    people.requested(alone)
    changes = "select keepfact.change_in_force(%s, 'permission')"
    decide = lambda: alone.do("decide", wait="p", approved=True, digest="d")  # noqa: E731
    assert meeting.behind(changes, [_tenant(alone)], decide) == [Refused("not_permitted")]


@pytest.mark.parametrize(
    ("stage", "command", "second"),
    [
        (at.accepted, "wake", "wake_consumed"),
        (people.requested, "decide", "already_decided"),
        (at.running, "wait", "not_running"),
        (at.resuming_lapsed, "recover", "lease_live"),
        (at.running, "cancel", "cancelling"),
    ],
)
def test_of_two_that_would_move_a_run_one_does(
    alone: Driver, meeting: Meeting, stage: at.Stage, command: str, second: str
) -> None:
    stage(alone)
    first, other = fields_of(alone, command), fields_of(alone, command)
    if command == "decide":
        other["approved"] = False
    ask = lambda: alone.store.perform(command, **other)  # noqa: E731
    assert meeting.after((alone, command, first), ask) == Refused(second)


def _tenant(run: Driver) -> str:
    return identity_of(run).tenant


def _submit(run: Driver) -> Outcome:
    return run.do("submit", contract="settle", budget_cents=100)


def _publish(run: Driver) -> Outcome:
    return run.do("publish", body=people.LARGE, qualified=True)


def _purge(run: Driver) -> Outcome:
    return run.do("purge", payload=people.LARGE_DIGEST)
