"""Texts and what is read: what can be stored, what is kept once, what may be forgotten; streams and replays."""

from dataclasses import replace

import pytest

from keepfact.spec.vocabulary import (
    INLINE_MAX,
    RECORD_MAX,
    TEXT_MAX,
    Command,
    Done,
    Evidence,
    Fail,
    Fence,
    PayloadView,
    Reason,
    Refused,
    Replay,
    RunState,
    Stream,
    Streamed,
)

from .beyond import (
    DIGEST_OF_LARGE,
    LARGE,
    answer_text,
    publish_text,
    purge,
    save,
    wait_for,
)
from .play import ID, RUN, Play, fail, in_flight, intend, publish, queued, reconcile, running, sealed, succeed

UNSTORABLE = ["nul \0 within", "half a letter \ud800", "\udfff", "x" * (TEXT_MAX + 1)]
KEPT = PayloadView(DIGEST_OF_LARGE, version=1, characters=len(LARGE))


@pytest.mark.parametrize("text", UNSTORABLE, ids=["nul", "lone high", "lone low", "too long"])
def test_a_text_that_cannot_be_stored_is_refused_and_the_run_goes_on(text: str) -> None:
    play = in_flight()
    for command in (publish_text(text), answer_text(text)):
        assert play.ask(command) == Refused(Reason.UNSTORABLE)
    assert play.ask(answer_text("a shorter answer")) == Done()


@pytest.mark.parametrize("text", UNSTORABLE, ids=["nul", "lone high", "lone low", "too long"])
def test_a_failure_is_recorded_in_constant_size_whatever_its_error_says(text: str) -> None:
    play = running().do(Fail(ID, RUN, Fence(1), text))
    assert play.run.state is RunState.FAILED
    assert play.run.error is not None
    assert len(play.run.error) <= RECORD_MAX
    play.run.error.encode()
    assert str(len(text)) in play.run.error


def test_an_error_that_can_be_stored_is_kept_as_it_is() -> None:
    assert running().do(Fail(ID, RUN, Fence(1), "no route to host")).run.error == "no route to host"
    assert running().do(fail()).run.error is None


@pytest.mark.parametrize("text", ["x" * TEXT_MAX, "é 長 😀", ""], ids=["as long as may be", "any letter", "empty"])
def test_every_other_text_is_stored(text: str) -> None:
    assert running().do(publish_text(text)).run.publications[0].body == text


def test_a_large_text_is_kept_once_by_its_digest() -> None:
    play = in_flight().do(publish_text(LARGE), answer_text(LARGE), publish_text(LARGE))
    assert play.state.payloads == (KEPT,)
    assert running().do(publish_text("x" * INLINE_MAX)).state.payloads == ()


def test_what_a_live_run_needs_is_not_purged_and_the_refusal_lists_it() -> None:
    assert running().do(publish_text(LARGE)).ask(purge(DIGEST_OF_LARGE)) == Refused(Reason.PAYLOAD_NEEDED, (RUN,))
    waiting = running().do(publish_text(LARGE), wait_for())
    assert waiting.ask(purge(DIGEST_OF_LARGE)) == Refused(Reason.PAYLOAD_NEEDED, (RUN,))


def test_what_an_unresolved_call_needs_is_not_purged_until_evidence_is_in() -> None:
    play = in_flight().do(publish_text(LARGE)).do(fail())
    assert play.ask(purge(DIGEST_OF_LARGE)) == Refused(Reason.PAYLOAD_NEEDED, (RUN,))
    assert play.do(reconcile(Evidence.NOT_FOUND)).ask(purge(DIGEST_OF_LARGE)) == Done()


def test_what_a_finding_rests_on_is_not_purged() -> None:
    play = running().do(publish_text(LARGE), save(digest=DIGEST_OF_LARGE), fail())
    assert play.ask(purge(DIGEST_OF_LARGE)) == Refused(Reason.PAYLOAD_NEEDED, (RUN,))


def test_what_nothing_needs_is_forgotten_and_nothing_else() -> None:
    play = running().do(publish_text(LARGE), fail())
    before = play.run
    play.do(purge(DIGEST_OF_LARGE))
    assert (play.state.payloads, play.run) == ((), before)
    assert play.ask(purge(DIGEST_OF_LARGE)) == Refused(Reason.NO_SUCH_PAYLOAD)


# What is read


def test_a_stream_goes_on_after_the_last_acknowledged_event_and_is_over_with_the_run() -> None:
    play = running()
    events = play.run.history
    assert play.ask(Stream(ID, RUN, 0)) == Done(stream=Streamed(events, is_over=False))
    assert play.ask(Stream(ID, RUN, 1)) == Done(stream=Streamed(events[1:], is_over=False))
    assert play.ask(Stream(ID, RUN, 9)) == Done(stream=Streamed((), is_over=False))
    play.do(fail())
    assert play.ask(Stream(ID, RUN, 2)) == Done(stream=Streamed(play.run.history[2:], is_over=True))


def test_a_stream_of_a_run_that_waits_for_evidence_is_not_over() -> None:
    play = sealed()
    assert play.ask(Stream(ID, RUN, 99)) == Done(stream=Streamed((), is_over=False))


@pytest.mark.parametrize(
    ("play", "decision"),
    [
        (queued(), "ask the model"),
        (running(), "ask the model"),
        (in_flight(), "hear the answer"),
        (in_flight().do(answer_text("answer")), "publish"),
        (in_flight().do(answer_text("answer"), publish()), "succeed"),
        (running().do(wait_for()), "wait"),
        (running().do(publish(), succeed()), None),
        (sealed(), None),
    ],
)
def test_a_replay_decides_the_same_on_every_host(play: Play, decision: str | None) -> None:
    before = play.state
    assert {play.ask(Replay(ID, RUN, host)) for host in ("here", "there")} == {Done(decision=decision)}
    assert play.state is before


@pytest.mark.parametrize("command", [Stream(ID, RUN, 0), Replay(ID, RUN, "here")], ids=["stream", "replay"])
def test_what_does_not_exist_is_not_read(command: Command) -> None:
    assert Play().ask(command) == Refused(Reason.NO_SUCH_RUN)


def test_a_credential_is_in_nothing_that_is_kept_of_a_run() -> None:
    play = running().do(replace(intend(), credential="hunter2"))
    assert "hunter2" not in repr((play.state.runs, play.state.truth, play.state.payloads))
