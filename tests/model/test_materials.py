"""What a continuation inherits: findings, with their lineage and as far as its user may read them; never power."""

from dataclasses import replace

import pytest

from keepfact.spec.vocabulary import (
    CallId,
    Done,
    Evidence,
    Fence,
    InheritedView,
    Label,
    MaterialView,
    ReaderView,
    Reason,
    Refused,
    RunId,
    RunState,
    SaveMaterial,
    Submit,
)

from .beyond import (
    DRAFT,
    NEXT,
    NOTE,
    OTHER_SOURCE,
    REQUEST,
    SECONDS,
    SOURCE,
    USER,
    continued,
    grant,
    left_with,
    read,
    revoke,
    save,
    wait_for,
)
from .play import BUDGET_CENTS, CLAIM, ID, PAY, RUN, SUBMIT, Play, fail, intend, publish, reconcile, running, sealed

LATER, LAST = RunId("later"), RunId("last")
DERIVED = save(DRAFT, derived_from=(NOTE,))


def inherited(play: Play, run: RunId = NEXT) -> dict[str, Label]:
    return {view.material: view.label for view in play.other(run).inherited}


def test_a_finding_is_saved_with_where_it_is_from() -> None:
    play = running().do(save(), DERIVED)
    assert play.run.materials == (
        MaterialView(NOTE, SOURCE, "finding", Fence(1), "today", SECONDS),
        MaterialView(DRAFT, SOURCE, "finding", Fence(1), "today", SECONDS, derived_from=(NOTE,)),
    )
    assert (play.run.history[-1].type, play.run.history[-1].concerns) == ("saved", DRAFT)


def test_a_continuation_is_a_new_run_with_nothing_that_can_be_executed() -> None:
    play = running().do(save(), intend(), publish(), fail(), grant())
    before = play.run
    new = play.do(continued()).other(NEXT)
    assert (new.state, new.fence, new.continues, new.budget_cents) == (RunState.QUEUED, 0, RUN, BUDGET_CENTS)
    assert (new.calls, new.waits, new.children, new.publications) == ((), (), (), ())
    assert (new.known_cents, new.held_cents) == (0, 0)
    assert [(event.type, event.entry_point) for event in new.history] == [("admitted", "continue")]
    assert play.run == before


def test_it_is_told_which_calls_are_still_unresolved() -> None:
    assert sealed().do(continued()).other(NEXT).open_calls == (PAY,)
    resolved = sealed().do(reconcile(Evidence.CONFIRMED, 3), continued())
    assert resolved.other(NEXT).open_calls == ()


def test_only_what_its_user_may_read_is_handed_over() -> None:
    play = left_with(save(), save(DRAFT, OTHER_SOURCE)).do(continued())
    assert inherited(play) == {NOTE: Label.CURRENT}
    assert inherited(play.do(grant(OTHER_SOURCE), continued(LATER)), LATER) == {
        NOTE: Label.CURRENT,
        DRAFT: Label.CURRENT,
    }


def test_what_rests_on_something_unreadable_is_unreadable() -> None:
    assert inherited(left_with(save(source=OTHER_SOURCE), DERIVED).do(continued())) == {}


def test_what_cannot_be_traced_is_not_handed_over_and_nothing_that_rests_on_it() -> None:
    assert inherited(left_with(save(as_of=None), DERIVED).do(continued())) == {}


@pytest.mark.parametrize(
    ("saved", "label"),
    [
        ((save(),), Label.CURRENT),
        ((save(fresh_seconds=0),), Label.STALE),
        ((save(judgement=True),), Label.JUDGEMENT),
        ((save(fresh_seconds=0, judgement=True),), Label.STALE),
        ((save(fresh_seconds=0), save(DRAFT, replaces=NOTE)), Label.SUPERSEDED),
    ],
)
def test_each_is_labelled_as_what_it_is_now(saved: tuple[SaveMaterial, ...], label: Label) -> None:
    assert inherited(left_with(*saved).do(continued()))[NOTE] is label


def test_a_finding_grows_stale_with_time() -> None:
    assert inherited(left_with(save()).wait(SECONDS).do(continued())) == {NOTE: Label.STALE}


def test_a_continuation_of_a_continuation_inherits_from_the_first() -> None:
    play = left_with(save()).do(continued(), replace(CLAIM, run=NEXT), replace(fail(), run=NEXT))
    play.do(continued(LATER, NEXT))
    assert play.other(LATER).inherited == (InheritedView(NOTE, RUN, Label.CURRENT),)


def test_reading_what_was_handed_over_is_counted_and_asks_nobody_outside() -> None:
    play = left_with(save()).do(continued(), replace(CLAIM, run=NEXT), read(), read())
    new = play.other(NEXT)
    assert (new.inherited[0].reads, new.calls) == (2, ())
    assert [event.type for event in new.history[-2:]] == ["saved", "saved"]


def test_a_revoked_source_is_unreadable_at_once_also_through_what_rests_on_it() -> None:
    play = left_with(save(), save(DRAFT, OTHER_SOURCE, derived_from=(NOTE,)))
    play.do(grant(OTHER_SOURCE), continued(), replace(CLAIM, run=NEXT), read(DRAFT), revoke())
    assert play.ask(read(DRAFT)) == Refused(Reason.NOT_READABLE)
    assert play.do(grant()).ask(read(DRAFT)) == Done()


def handed_on(*saved: SaveMaterial) -> Play:
    """A note, handed to a continuation that has failed, too, after it saved these; both sources may be read."""
    play = left_with(save()).do(continued(), replace(CLAIM, run=NEXT), grant(OTHER_SOURCE))
    return play.do(*(replace(one, run=NEXT, source=OTHER_SOURCE) for one in saved), replace(fail(), run=NEXT))


def test_a_summary_may_rest_on_what_its_run_was_handed_and_is_unreadable_with_it() -> None:
    play = handed_on(DERIVED).do(continued(LATER, NEXT), replace(CLAIM, run=LATER))
    assert inherited(play, LATER) == {NOTE: Label.CURRENT, DRAFT: Label.CURRENT}
    assert play.ask(read(DRAFT, run=LATER)) == Done()
    assert play.do(revoke()).ask(read(DRAFT, run=LATER)) == Refused(Reason.NOT_READABLE)
    assert inherited(play.do(continued(LAST, NEXT)), LAST) == {}


@pytest.mark.parametrize(
    ("saved", "kept"),
    [((save(), DERIVED), {NOTE, DRAFT}), ((DERIVED, save()), {NOTE})],
    ids=["saved before", "saved later"],
)
def test_a_finding_of_its_own_counts_before_one_that_was_handed_if_it_was_there_by_then(
    saved: tuple[SaveMaterial, ...], kept: set[str]
) -> None:
    assert set(inherited(handed_on(*saved).do(revoke(), continued(LATER, NEXT)), LATER)) == kept


def test_granting_twice_is_granting_once() -> None:
    play = running().do(grant(), grant())
    assert play.state.readers == (ReaderView(SOURCE, USER),)
    assert play.do(revoke()).state.readers == ()


def test_one_request_admits_one_run_however_it_is_admitted() -> None:
    play = Play().do(replace(SUBMIT, request=REQUEST), CLAIM, fail())
    assert play.ask(continued(request=REQUEST)) == Refused(Reason.REQUEST_TAKEN)
    assert play.ask(Submit(ID, NEXT, SUBMIT.contract, 1, request=REQUEST)) == Refused(Reason.REQUEST_TAKEN)


def test_a_run_is_continued_only_once_it_is_over() -> None:
    assert running().ask(continued()) == Refused(Reason.NOT_ENDED)
    assert running().do(wait_for()).ask(continued()) == Refused(Reason.NOT_ENDED)
    assert sealed().ask(continued()) == Done()


def test_an_id_of_the_continued_run_is_not_free_for_a_call() -> None:
    play = sealed().do(continued(), replace(CLAIM, run=NEXT))
    assert play.ask(replace(intend(), run=NEXT)) == Refused(Reason.CALL_ID_CONFLICT)
    assert play.ask(replace(intend(CallId("other")), run=NEXT)) == Done()
