"""Which bundles are served, which branch a run takes, and which tables workers of two releases share."""

import pytest

from keepfact.impl.outcomes import Done, Refused

from . import stages as at
from . import stages_of_people as people
from .driving import Driver, fresh


def _bundles(run: Driver) -> dict[str, bool]:
    """Whether each is retired."""
    return {bundle["bundle"]: bundle["is_retired"] for bundle in run.store.survey([])["bundles"]}


def test_the_latest_bundle_is_resolved_once_at_admission(alone: Driver) -> None:
    first = at.queued(Driver(alone.store, alone.admin, f"{alone.run}-first"))
    people.deployed(alone).submitted()
    assert (first.view["bundle"], alone.view["bundle"]) == ("bundle-1", "bundle-2")


def test_a_run_may_be_admitted_to_an_earlier_bundle_by_its_name(alone: Driver) -> None:
    at.done(people.deployed(alone).do("submit", contract="settle", budget_cents=1, bundle="bundle-1"))
    assert alone.view["bundle"] == "bundle-1"


def test_of_what_is_not_retired_the_one_deployed_last_is_the_latest(alone: Driver) -> None:
    at.done(people.deployed(alone).do("retire", bundle="bundle-2"))
    assert alone.submitted().view["bundle"] == "bundle-1"


def test_a_bundle_is_retired_once_its_last_run_has_ended_and_again_without_effect(alone: Driver) -> None:
    at.lost_call(alone)
    others = [at.queued(Driver(alone.store, alone.admin, f"{alone.run}-{number}")) for number in range(2)]
    everybody = (alone.run, *(other.run for other in others))
    assert alone.do("retire", bundle="bundle-1") == Refused("bundle_needed", everybody)
    for other in others:
        at.done(other.do("cancel"))
        at.done(other.do("recover"))
    at.done(alone.do("fail"))
    assert alone.do("retire", bundle="bundle-1") == Refused("bundle_needed", (alone.run,))
    at.done(alone.do("reconcile", call="a", evidence="not_found", cost_cents=None))
    assert [alone.do("retire", bundle="bundle-1") for _ in range(2)] == [Done(), Done()]
    assert _bundles(alone) == {"bundle-1": True}


def test_a_child_keeps_the_bundle_of_its_parent_also_when_another_is_the_latest(alone: Driver) -> None:
    people.deployed(at.running(alone))
    child = at.child_of(alone)
    at.done(alone.do("spawn", spawn="s", child=child.run, budget_cents=1))
    assert child.view["bundle"] == "bundle-1"


def test_a_claim_of_any_run_passes_over_what_its_release_does_not_support(alone: Driver) -> None:
    first = at.queued(Driver(alone.store, alone.admin, f"{alone.run}-first"))
    people.deployed(alone).submitted()
    claim = {"run": None, "worker": "w", "supports": ("bundle-2",)}
    assert alone.granted("claim", **claim).view["state"] == "running"
    assert first.view["state"] == "queued"
    assert alone.do("claim", **claim) == Refused("not_queued")


@pytest.mark.parametrize(("marker", "branch"), [("faster", "new"), ("unheard-of", "old")])
def test_a_run_takes_the_new_branch_exactly_if_its_own_bundle_knows_of_the_change(
    alone: Driver, marker: str, branch: str
) -> None:
    people.on_second_bundle(alone)
    assert alone.do("mark", marker=marker, branch=branch) == Done()
    assert alone.view["markers"] == [{"marker": marker, "branch": branch}]
    before = alone.view
    assert alone.do("mark", marker=marker, branch=branch) == Done()
    assert alone.view == before


def test_an_older_run_stays_on_the_old_branch(alone: Driver) -> None:
    people.deployed(at.running(alone))
    assert alone.do("mark", marker="faster", branch="new") == Refused("wrong_branch")
    assert alone.do("mark", marker="faster", branch="old") == Done()


def test_while_the_tables_migrate_workers_of_both_versions_are_served(alone: Driver) -> None:
    people.migrating(alone)
    assert alone.store.survey([])["served"] == [1, 2]
    for schema in (1, 2):
        run = at.queued(Driver(alone.store, alone.admin, fresh("run")))
        assert isinstance(run.do("claim", worker="w", schema=schema), Done)
    run = at.queued(Driver(alone.store, alone.admin, fresh("run")))
    assert run.do("claim", worker="w", schema=3) == Refused("unsupported_schema")


def test_a_migration_ends_when_the_last_old_worker_has_gone(alone: Driver) -> None:
    people.migrating_under_an_old_worker(alone)
    assert alone.do("end_migration") == Refused("old_worker_live", (alone.run,))
    at.done(alone.do("release"))
    assert alone.do("end_migration") == Done()
    assert alone.store.survey([])["served"] == [2, 2]


def test_a_new_worker_does_not_hold_a_migration_up(alone: Driver) -> None:
    people.migrating(alone)
    at.queued(alone).granted("claim", worker="w", schema=2)
    assert alone.do("end_migration") == Done()


def test_a_run_that_a_new_worker_took_over_is_the_new_ones(alone: Driver) -> None:
    people.migrating_under_an_old_worker(alone)
    at.done(alone.do("release"))
    alone.granted("claim", worker="w", schema=2)
    assert alone.do("end_migration") == Done()
    assert alone.view["history"][-1]["payload"]["schema"] == 2
