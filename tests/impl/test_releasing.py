"""Replaying, deploying, retiring, exporting and purging as it is done from a command line."""

import json
from pathlib import Path

import jsonschema
import pytest
from pydantic import TypeAdapter

from keepfact import spec
from keepfact.conformance.histories import check_file
from keepfact.conformance.verdicts import Verdict
from keepfact.impl.installation import Installation
from keepfact.impl.outcomes import Done
from keepfact.impl.release import Bundle, Release
from keepfact.spec.vocabulary import Observation

from . import programs
from .commanding import Commands, with_doors
from .driving import Driver, fresh
from .team import Team


@pytest.fixture
def commands(shared: Installation, team: Team, monkeypatch: pytest.MonkeyPatch) -> Commands:
    """In the folder that has the releases, as whoever runs the tenant's workers."""
    monkeypatch.chdir(Path(__file__).parent)
    return Commands(with_doors(shared.dsns, team.tenant))


def test_the_check_ends_with_what_it_found(team: Team, commands: Commands) -> None:
    nothing = commands("replay-check", "--release", "programs:FIRST")
    assert (nothing.code, nothing.said.endswith("let a worker of the release before work on a run first.")) == (1, True)
    run = team.greeted()
    same = commands("replay-check", KEEPFACT_RELEASE="programs:FIRST")
    assert (same.code, same.said) == (0, "replayed: 1 runs of bundle-1; 0 diverged")
    changed = commands("replay-check", "--release", "programs:CHANGED", "--bundle", "bundle-1")
    assert changed.code == 1
    assert f"{run.run}, event 6: the history and the program differ recorded published" in changed.said
    assert "decided Publish(body='hello', qualified=True) replayed: 1 runs of bundle-1; 1 diverged" in changed.said


@pytest.mark.parametrize(("arguments", "said"), [
    ([], "expected a release as --release module:NAME or in KEEPFACT_RELEASE, but none is given"),
    (["--release", "programs:NONE"], "expected a release as module:NAME"),
    (["--release", "no_such:NAME"], "expected a release as module:NAME"),
    (["--release", "programs:MARKED"], "to be a keepfact.impl.release.Release, but it is a Greeting"),
    (["--release", "programs:FIRST", "--bundle", "bundle-9"], "to have a bundle bundle-9, but it has bundle-1"),
])  # fmt: skip
def test_a_release_that_is_none_is_told(arguments: list[str], said: str, commands: Commands) -> None:
    ended = commands("replay-check", *arguments, KEEPFACT_RELEASE="")
    assert (ended.code, ended.said) == (2, "")
    assert said in ended.warned


def test_only_what_was_replayed_is_deployed_and_only_what_nobody_needs_is_retired(
    team: Team, commands: Commands
) -> None:
    deploy = ("deploy", "bundle-2", "--release", "programs:BEHIND_MARKER")
    unproven = commands(*deploy)
    assert (unproven.code, unproven.warned) == (1, "keepfact: deploy was refused: not_replayed")
    team.greeted()
    assert commands("deploy", "bundle-2", "--release", "programs:FIRST").code == 2
    diverging = commands("deploy", "bundle-2", "--release", "programs:UNMARKED")
    assert (diverging.code, diverging.warned) == (1, "keepfact: deploy was refused: diverged")
    assert commands(*deploy).code == 0
    assert team.store.survey([])["bundles"][1] == {"bundle": "bundle-2", "markers": ["greeting"], "is_retired": False}
    needing = team.run()
    refused = commands("retire", "bundle-2")
    assert (refused.code, refused.warned) == (1, f"keepfact: retire was refused: bundle_needed {needing.run}")
    assert commands("retire", "bundle-1").said == "retired: bundle-1"


def test_a_run_is_exported_in_the_published_form(team: Team, commands: Commands, tmp_path: Path) -> None:
    schema = json.loads((Path(spec.__path__[0]) / "schemas" / "history.json").read_text())
    run = team.run()
    team.called(run)
    team.work_to(Release({"bundle-1": Bundle(programs.everything)}), "waiting_approval", run)
    for exported in (run, team.greeted(Release({"bundle-1": Bundle(programs.MARKED)}))):
        path = tmp_path / exported.run
        assert commands("export", exported.run, "--out", path).code == 0
        found = json.loads(path.read_text())
        jsonschema.Draft202012Validator(schema).validate(found)
        assert check_file(path).verdict is Verdict.HOLDS
        assert found == json.loads(commands("export", exported.run).stdout)
        assert [event["type"] for event in found["runs"][0]["history"]] == exported.events
        assert TypeAdapter(Observation).validate_python(found).runs[0].run == exported.run
    again = commands("export", run.run, "--out", path)
    assert (again.code, "that is not possible: File exists" in again.warned) == (2, True)
    assert commands("export", "absent").code == 2
    assert jsonschema.Draft202012Validator(schema).is_valid({**found, "runs": [{"run": "r"}]}) is False


def _with_large_body(team: Team) -> tuple[Driver, str]:
    """A run that is not over, with a body that is kept by its digest."""
    run = team.run()
    assert isinstance(run.do("claim", worker="w"), Done)
    assert run.do("publish", fence=1, body=fresh("body") + "x" * 2_000, qualified=True) == Done()
    published = next(event["payload"] for event in run.view["history"] if event["type"] == "published")
    return run, published["body_payload"]


def test_only_texts_that_nobody_needs_are_forgotten_and_what_is_refused_is_told(team: Team, commands: Commands) -> None:
    (ended, free), (_, other), (alive, needed) = [_with_large_body(team) for _ in range(3)]
    assert ended.do("succeed", fence=1) == Done()
    declined = commands("purge", free, needed, typed="n\n")
    assert declined.code == 1
    assert len(team.store.survey([])["payloads"]) == 3
    done = commands("purge", free, needed, "--yes")
    assert done.code == 1
    assert f"needed by {alive.run}" in done.said
    assert f"refused: {needed}: payload_needed: {alive.run} forgotten: 1; refused: 1" in done.said
    assert {one["digest"] for one in team.store.survey([])["payloads"]} == {other, needed}
    gone = commands("purge", free, needed, "--yes")
    assert (gone.code, f"none is kept under {free}" in gone.warned) == (2, True)


def test_old_texts_are_those_of_runs_in_which_nothing_has_happened_for_so_long(team: Team, commands: Commands) -> None:
    old, free = _with_large_body(team)
    assert old.do("succeed", fence=1) == Done()
    team.admin.execute("update keepfact.settings set frozen_at = frozen_at + interval '1 day'")
    _, recent = _with_large_body(team)
    done = commands("purge", "--older-than", "24h", "--yes")
    assert (done.code, done.said.endswith("idle for 86400 s forgotten: 1; refused: 0")) == (0, True)
    assert done.said.startswith(free)
    assert commands("purge", "--older-than", "24h", "--yes").said == "There is nothing to forget."
    everything = commands("purge", "--older-than", "0s", "--yes")
    assert (everything.code, f"refused: {recent}" in everything.said) == (0, True)


@pytest.mark.parametrize(("arguments", "said"), [
    ([], "either digests or --older-than, but both or neither is given"),
    (["x", "--older-than", "1d"], "either digests or --older-than, but both or neither is given"),
    (["--older-than", "soon"], "a length of time such as 90d, 12h, 30m or 0s, but it is 'soon'"),
    (["--older-than", "-1d"], "a length of time such as 90d, 12h, 30m or 0s, but it is '-1d'"),
])  # fmt: skip
def test_what_cannot_be_purged_is_told(arguments: list[str], said: str, commands: Commands) -> None:
    ended = commands("purge", *arguments)
    assert (ended.code, said in ended.warned) == (2, True)
