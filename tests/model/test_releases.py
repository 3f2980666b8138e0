"""Releases roll while runs live: what is pinned stays, branches are marked, two versions of tables overlap."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    FIRST_BUNDLE,
    Branch,
    BundleId,
    BundleView,
    Done,
    Fence,
    LeaseGrant,
    MarkerView,
    Reason,
    Refused,
    RunState,
    WorkerId,
)

from .beyond import (
    BUNDLE,
    END_MIGRATION,
    MIGRATE,
    NEXT,
    RESUME,
    continued,
    deliver,
    deploy,
    mark,
    resuming,
    retire,
    waiting,
    wake,
)
from .play import CLAIM, LEASE_SECONDS, RUN, SUBMIT, Play, fail, queued, release, running, sealed

OLD_AND_NEW = (FIRST_BUNDLE, BUNDLE)


def upgraded() -> Play:
    """A second bundle, which knows of the change, was deployed before the run was submitted."""
    return Play().do(deploy(markers=("change",)), SUBMIT, replace(CLAIM, supports=OLD_AND_NEW))


def test_a_selector_is_resolved_at_admission_and_the_run_is_pinned_to_what_it_stood_for() -> None:
    play = queued().do(deploy())
    assert play.run.bundle == FIRST_BUNDLE
    assert play.do(replace(SUBMIT, run=NEXT)).other(NEXT).bundle == BUNDLE


def test_a_bundle_may_be_asked_for_by_its_name() -> None:
    play = queued().do(deploy(), replace(SUBMIT, run=NEXT, bundle=FIRST_BUNDLE))
    assert play.other(NEXT).bundle == FIRST_BUNDLE


def test_what_is_retired_is_selected_by_nobody() -> None:
    play = Play().do(deploy(), retire(BUNDLE), SUBMIT)
    assert play.run.bundle == FIRST_BUNDLE
    assert play.state.bundles == (BundleView(FIRST_BUNDLE), BundleView(BUNDLE, is_retired=True))


def test_a_continuation_is_pinned_to_what_is_current() -> None:
    assert running().do(fail(), deploy(), continued()).other(NEXT).bundle == BUNDLE


def test_a_worker_of_another_release_is_refused_and_the_run_waits_for_one_of_its_own() -> None:
    play = queued().do(deploy())
    assert play.ask(replace(CLAIM, supports=(BUNDLE,))) == Refused(Reason.UNSUPPORTED_BUNDLE)
    assert play.ask(replace(CLAIM, supports=OLD_AND_NEW)) == Done(LeaseGrant(Fence(1), LEASE_SECONDS))


def test_waking_and_resuming_ask_for_the_release_as_well() -> None:
    assert waiting().do(deliver()).ask(wake(supports=(BUNDLE,))) == Refused(Reason.UNSUPPORTED_BUNDLE)
    assert resuming().wait().ask(replace(RESUME, supports=(BUNDLE,))) == Refused(Reason.UNSUPPORTED_BUNDLE)


def test_what_a_run_needs_cannot_be_retired_and_the_refusal_lists_it() -> None:
    play = queued().do(replace(SUBMIT, run=NEXT))
    assert play.ask(retire()) == Refused(Reason.BUNDLE_NEEDED, (RUN, NEXT))
    assert sealed().ask(retire()) == Refused(Reason.BUNDLE_NEEDED, (RUN,))


def test_retiring_twice_is_retiring_once() -> None:
    play = running().do(fail(), retire())
    before = play.state.bundles
    assert play.ask(retire()) == Done()
    assert play.state.bundles == before


def test_old_runs_take_the_old_branch_and_new_ones_the_new() -> None:
    old = running().do(deploy(markers=("change",)))
    assert old.ask(mark(Branch.NEW)) == Refused(Reason.WRONG_BRANCH)
    assert old.do(mark(Branch.OLD)).run.markers == (MarkerView("change", Branch.OLD),)
    assert upgraded().ask(mark(Branch.OLD)) == Refused(Reason.WRONG_BRANCH)
    assert upgraded().do(mark(Branch.NEW)).run.markers == (MarkerView("change", Branch.NEW),)


def test_a_branch_is_marked_once() -> None:
    play = upgraded().do(mark(Branch.NEW))
    before = play.run
    assert play.ask(mark(Branch.NEW)) == Done()
    assert play.run == before
    assert (before.history[-1].type, before.history[-1].concerns) == ("marked", "change")


def test_during_a_migration_workers_of_both_versions_are_served() -> None:
    play = queued().do(MIGRATE)
    assert play.state.served == (1, 2)
    for schema in (1, 2):
        assert isinstance(play.ask(replace(CLAIM, schema=schema)), Done)
        play.do(release(schema))
    assert play.ask(replace(CLAIM, schema=3)) == Refused(Reason.UNSUPPORTED_SCHEMA)


def test_a_migration_ends_when_no_worker_of_the_old_version_is_at_work() -> None:
    play = running().do(MIGRATE)
    assert play.ask(END_MIGRATION) == Refused(Reason.OLD_WORKER_LIVE, (RUN,))
    play.do(release(), replace(CLAIM, schema=2), END_MIGRATION)
    assert play.state.served == (2, 2)
    assert play.do(release(2)).ask(replace(CLAIM, schema=1)) == Refused(Reason.UNSUPPORTED_SCHEMA)


def test_an_old_worker_whose_lease_lapsed_holds_no_migration_up() -> None:
    assert running().do(MIGRATE).wait().ask(END_MIGRATION) == Done()


def test_releases_do_not_touch_runs_that_are_under_way() -> None:
    play = running()
    before = play.run
    play.do(deploy(), deploy(BundleId("bundle-3")), MIGRATE)
    assert play.run == before
    assert (before.state, before.worker) == (RunState.RUNNING, WorkerId("worker"))
