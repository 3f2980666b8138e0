"""Defects of HISTORY, continued: texts are lost, kept twice, told to everybody, or stand in the way of an end."""

import hashlib
from collections.abc import Callable
from dataclasses import replace

from keepfact.model.payloads import is_storable
from keepfact.model.state import Run, State
from keepfact.model.step import step
from keepfact.spec.chain import chained
from keepfact.spec.vocabulary import (
    ENDS,
    AskedOfRun,
    Cause,
    Done,
    EventView,
    Fail,
    Intend,
    PayloadView,
    Publish,
    Purge,
    Reason,
    RecordAnswer,
    Refused,
)

from .defect import Taken, wrong_command, wrong_step


@wrong_command(Intend, "HISTORY.8")
def a_credential_signs_the_event(state: State, intend: Intend, run: Run) -> Taken:
    """Events name the credential that a request went out with, in the place of who asked."""
    secret = intend.credential
    return _told_with(state, intend, lambda event: replace(event, principal=secret) if secret else event)


@wrong_command(Intend, "HISTORY.8")
def a_credential_is_hashed_into_the_history(state: State, intend: Intend, run: Run) -> Taken:
    """The credential itself is not stored, but its bare digest is, which anybody can try guesses against."""
    digest = hashlib.sha256(intend.credential.encode()).hexdigest() if intend.credential else None
    return _told_with(state, intend, lambda event: replace(event, payload_digest=digest))


@wrong_step("HISTORY.8")
def a_large_text_is_kept_each_time(state: State, cause: Cause) -> Taken:
    """A large body is stored again whenever it is published, however often it is there already."""
    outcome, after = step(state, cause)
    is_kept_again = isinstance(cause, Publish) and after is not state and after.payloads == state.payloads
    return outcome, replace(after, payloads=(*after.payloads, *_of(after, cause))) if is_kept_again else after


@wrong_step("HISTORY.8")
def a_large_text_has_no_version(state: State, cause: Cause) -> Taken:
    """Large texts are stored without saying in which format, so that no later release can be sure how to read them."""
    outcome, after = step(state, cause)
    return outcome, replace(after, payloads=tuple(replace(one, version=0) for one in after.payloads))


@wrong_command(Fail, "HISTORY.9", case="B22")
def a_failure_is_refused_for_its_text(state: State, fail: Fail, run: Run) -> Taken:
    """The report of a failure carries the text that could not be stored, and cannot be stored either."""
    outcome, after = step(state, fail)
    is_refused = isinstance(outcome, Done) and not is_storable(fail.error or "")
    return (Refused(Reason.UNSTORABLE), state) if is_refused else (outcome, after)


@wrong_command(Publish, "HISTORY.9")
def a_body_is_cut_to_what_can_be_stored(state: State, publish: Publish, run: Run) -> Taken:
    """What the database does not take is left out of a body without a word, and its worker is told that it is there."""
    return step(state, replace(publish, body=publish.body.replace("\0", "")))


@wrong_command(RecordAnswer, "HISTORY.9")
def an_answer_is_cut_to_what_can_be_stored(state: State, record: RecordAnswer, run: Run) -> Taken:
    """What the database does not take is left out of an answer without a word."""
    return step(state, replace(record, answer=record.answer.replace("\0", "")))


@wrong_step("HISTORY.10")
def what_is_needed_is_purged(state: State, cause: Cause) -> Taken:
    """A purge looks at the age of a text and not at who still needs it."""
    if not isinstance(cause, Purge):
        return step(state, cause)
    outcome, after = step(replace(state, runs=()), cause)
    return outcome, replace(after, runs=state.runs) if isinstance(outcome, Done) else state


@wrong_step("HISTORY.10")
def what_a_finding_rests_on_is_purged(state: State, cause: Cause) -> Taken:
    """Once its run has ended a text is purged, although a finding that others may inherit rests on it."""
    if not isinstance(cause, Purge):
        return step(state, cause)
    bare = tuple(replace(run, materials=()) for run in state.runs)
    outcome, after = step(replace(state, runs=bare), cause)
    return outcome, replace(after, runs=state.runs) if isinstance(outcome, Done) else state


@wrong_step("HISTORY.10")
def an_end_clears_the_texts_away(state: State, cause: Cause) -> Taken:
    """When a run ends its large texts go with it, although nobody asked for that."""
    outcome, after = step(state, cause)
    run = after.run(cause.run) if isinstance(cause, AskedOfRun) and after is not state else None
    return outcome, replace(after, payloads=()) if run is not None and run.state in ENDS else after


def _of(state: State, cause: Cause) -> tuple[PayloadView, ...]:
    """The payload that a body is kept as, if it is large."""
    digest = hashlib.sha256(cause.body.encode()).hexdigest() if isinstance(cause, Publish) else ""
    return tuple(one for one in state.payloads if one.digest == digest)[:1]


def _told_with(state: State, intend: Intend, tell: Callable[[EventView], EventView]) -> Taken:
    """The intent done rightly, and its events then told otherwise."""
    outcome, after = step(state, intend)
    old, new = state.run(intend.run), after.run(intend.run)
    if old is None or new is None or after is state:
        return outcome, after
    told = tuple(chained(tell(event)) for event in new.history[len(old.history) :])
    return outcome, after.with_run(replace(new, history=(*old.history, *told)))
