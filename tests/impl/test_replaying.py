"""Replaying stored histories against a release: what was changed is found, unless it is behind a marker."""

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from keepfact.impl import replaying
from keepfact.impl.digests import arguments_of, digest_of
from keepfact.impl.in_history import is_decided
from keepfact.impl.outcomes import Done
from keepfact.impl.programs.decisions import Approval, AskModel, Decision, Progress, SaveMaterial, UseTool
from keepfact.impl.release import Bundle, Release
from keepfact.impl.replaying import Replay, Replayed

from . import programs
from .driving import fresh
from .outside_world import PLAN, RECEIPT, Handler, cut
from .team import Team


def test_what_a_worker_wrote_is_what_its_release_decides_again_whatever_it_decided(team: Team) -> None:
    """The guard between those who carry decisions out and those who replay them."""
    first = threading.Event()

    def lost_once(handler: Handler) -> None:
        if first.is_set():
            handler.answer((200, RECEIPT))
        else:
            first.set()
            cut(handler)

    team.world.answers["/tools/pay"] = lost_once
    release, run = Release({"bundle-1": Bundle(programs.everything)}), team.run()
    team.called(run)
    team.work_to(release, "waiting_approval", run)
    asked = next(wait for wait in run.view["waits"] if wait["kind"] == "approval")
    assert run.do("decide", wait=asked["wait"], approved=True, digest=asked["shown"]["digest"]) == Done()
    team.work_to(release, "succeeded", run)
    decided = [event for event in run.view["history"] if is_decided(event)]
    assert [event["type"] for event in decided] == [
        "intended", "saved", "spawned", "waited", "waited", "intended", "sent_again", "waited", "intended", "published",
        "ended",
    ]  # fmt: skip
    assert team.replay(release) == Replayed(runs=2)

    body = next(event["payload"] for event in decided if event["type"] == "published")
    assert team.store.perform("purge", command_id=fresh("c"), payload=body["body_payload"]) == Done()
    assert team.replay(release) == Replayed(runs=2)  # a program says again what was purged, and it has the same digest


def test_a_run_whose_answer_was_purged_is_not_replayed_and_not_called_a_pass(team: Team) -> None:
    team.world.answers["/v1/chat/completions"] = (200, {**PLAN, "padding": "x" * 2_000})
    release, run = Release({"bundle-1": Bundle()}), team.run()
    team.work_to(release, "succeeded", run)
    assert team.replay(release) == Replayed(runs=1)
    answered = next(event["payload"] for event in run.view["history"] if event["type"] == "answered")
    assert team.store.perform("purge", command_id=fresh("c"), payload=answered["answer_payload"]) == Done()
    replayed = team.replay(release)
    assert (replayed, replayed.is_proof) == (Replayed(purged=1), False)


def test_replaying_none_is_no_proof(team: Team) -> None:
    team.run()  # nothing was decided in it yet
    replayed = team.replay(programs.FIRST)
    assert (replayed, replayed.is_proof) == (Replayed(), False)


@pytest.mark.parametrize(("changed", "number", "decided"), [
    (programs.NEW, 6, "Publish(body='hello', qualified=True)"),
    (programs.Greeting(asks_first=True), 6, "AskModel(attempt='attempt:1', messages=()"),
    (programs.gives_up, 4, "Fail(reason='no')"),
    (programs.raising, 4, "Fail(reason='LookupError: no such thing')"),
])  # fmt: skip
def test_a_changed_branch_is_found_and_told_with_its_place(
    team: Team, changed: Callable[[Progress], Decision], number: int, decided: str
) -> None:
    run = team.greeted()
    replayed = team.replay(Release({"bundle-1": Bundle(changed)}))
    (found,) = replayed.divergences
    assert (found.run, found.number) == (run.run, number)
    assert found.decided.startswith(decided)
    assert found.recorded.startswith("published " if number == 6 else "waited ")
    assert not replayed.is_proof


def test_each_run_is_told_once_and_only_the_first_ones(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replaying, "TOLD_MAX", 2)
    monkeypatch.setattr(replaying, "RUNS_AT_ONCE", 2)
    monkeypatch.setattr(replaying, "EVENTS_AT_ONCE", 3)
    runs = [team.run() for _ in range(3)]
    team.work_to(programs.FIRST, "waiting_external", *runs)
    replayed = team.replay(programs.RAISING)
    assert (replayed.runs, replayed.diverged) == (3, 3)
    assert [found.run for found in replayed.divergences] == [run.run for run in runs[:2]]
    assert team.replay(programs.FIRST) == Replayed(runs=3)


def test_behind_a_marker_old_runs_take_the_old_branch_and_new_ones_the_new(team: Team) -> None:
    ended, waiting = team.greeted(), team.run()
    team.work_to(programs.FIRST, "waiting_external", waiting)
    release = programs.BEHIND_MARKER
    assert team.replay(release) == Replayed(runs=2)
    deployed = team.store.perform(
        "deploy", command_id=fresh("c"), bundle="bundle-2", replayed=2, diverged=0, markers=("greeting",)
    )
    assert deployed == Done()
    new = team.run()
    team.called(new)
    team.called(waiting)  # it has waited through the release, and is woken by the new one
    team.work_to(release, "succeeded", waiting, new)
    assert (waiting.view["bundle"], new.view["bundle"]) == ("bundle-1", "bundle-2")
    assert waiting.view["markers"] == [{"marker": "greeting", "branch": "old"}]
    assert new.view["markers"] == [{"marker": "greeting", "branch": "new"}]
    assert [run.view["publications"][0]["body"] for run in (waiting, new)] == ["good day", "hello"]
    assert ended.view["markers"] == []
    assert team.replay(release) == Replayed(runs=3)


def test_a_release_whose_new_bundle_forgets_the_marker_diverges(team: Team) -> None:
    team.store.perform(
        "deploy", command_id=fresh("c"), bundle="bundle-2", replayed=1, diverged=0, markers=("greeting",)
    )
    team.greeted(programs.BEHIND_MARKER)
    forgetful = Release({"bundle-2": Bundle(programs.MARKED)})
    (found,) = team.replay(forgetful).divergences
    assert found.recorded.startswith('marked {"branch": "new"')


def test_a_decision_that_the_store_refused_is_the_same_decision_again(team: Team) -> None:
    run = team.run(budget_cents=5)
    team.work_to(Release({"bundle-1": Bundle()}), "failed", run)
    assert run.view["error"] == "intend was refused: over_budget"
    assert team.replay(Release({"bundle-1": Bundle()})) == Replayed(runs=1)
    assert (
        team.replay(Release({"bundle-1": Bundle(programs.everything)})).diverged == 0
    )  # it would intend something too
    assert team.replay(programs.FIRST).diverged == 1


@pytest.mark.parametrize("wrong", [
    programs.raising,
    lambda _: AskModel("attempt:1", ({"role": b"no JSON"},), 5),
    lambda _: SaveMaterial("found", "web", "half a character \ud800", "2026-01-01", 60),
    lambda _: AskModel("attempt:1", (), 5),
    lambda _: "nothing that can be decided",
], ids=["raises", "wants no JSON", "wants no text", "asks once more under the same id", "decides nothing"])  # fmt: skip
def test_a_program_that_was_wrong_is_as_wrong_again_and_otherwise_diverges(
    team: Team, wrong: Callable[[Progress], Decision]
) -> None:
    release, run = Release({"bundle-1": Bundle(wrong)}), team.run()
    team.work_to(release, "failed", run)
    assert team.replay(release) == Replayed(runs=1)
    assert team.replay(programs.FIRST).diverged == 1


CALL = "run:operation:1"
TOOL = UseTool("operation:1", "pay", {}, 5)


def _event(number: int, type_: str, entry_point: str = "work", /, **payload: object) -> dict[str, object]:
    return {"number": number, "type": type_, "entry_point": entry_point, "payload": payload, "concerns": None}


def _diverges(program: Callable[[Progress], Decision], *events: dict[str, object]) -> bool:
    return next(Replay("run", Bundle(program)).divergences(iter(events)), None) is not None


def test_what_came_between_looking_and_writing_excuses_nobody_else() -> None:
    """Evidence came while a worker was about to fail, since it had seen an unknown call."""

    def program(progress: Progress) -> Decision:
        fact = progress.calls.get("operation:1")
        if fact is not None and fact.state == "lost":
            return programs.gives_up(progress)
        return replace(TOOL, operation="operation:2")

    lost = [_event(1, "admitted", "submit"), _event(2, "lost", "recover", call=CALL)]
    granted, arrived = _event(3, "granted", "recover"), _event(4, "arrived", "deliver")
    evidence = _event(5, "reconciled", "reconcile", call=CALL, evidence="confirmed")
    failed = _event(6, "ended", end="failed", error="no")
    assert not _diverges(program, *lost, granted, failed)
    assert not _diverges(program, *lost, granted, evidence, arrived, failed)
    assert _diverges(program, *lost, evidence, granted, failed)


@pytest.mark.parametrize(("decision", "diverges"), [
    (TOOL, False),
    (replace(TOOL, arguments={"amount": 2}), True),
    (replace(TOOL, ceiling_cents=6), True),
    (replace(TOOL, approval=Approval("high", "policy", 60)), True),
])  # fmt: skip
def test_a_tool_is_used_as_it_was_and_with_the_approval_that_it_had(decision: UseTool, diverges: bool) -> None:
    digest = digest_of(arguments_of(TOOL))
    intended = _event(
        2, "intended", call=CALL, kind="operation", digest=digest, ceiling_cents=5, recognises=False, sends_max=1
    )
    assert _diverges(lambda _: decision, _event(1, "admitted"), intended) is diverges
