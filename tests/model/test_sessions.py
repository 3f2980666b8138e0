"""Who asks: the right door, the right tenant, and a name under everything that was written."""

from dataclasses import replace

import pytest

from keepfact.spec.chain import event_digest
from keepfact.spec.vocabulary import (
    TENANT,
    Command,
    CommandId,
    Done,
    EntryPoint,
    Evidence,
    Observe,
    Reason,
    Refused,
    Stream,
)

from .beyond import CANCEL, CHILD, NEXT, REQUEST, STRANGERS, asking, continued, spawn, with_child
from .play import (
    CLAIM,
    ID,
    OBSERVE,
    PAY,
    RECOVER,
    RUN,
    SUBMIT,
    Play,
    fail,
    in_flight,
    intend,
    publish,
    queued,
    reconcile,
    running,
    sealed,
)

ALICE = "alice"
EVERYTHING: list[Command] = [OBSERVE, Stream(ID, RUN, 0), CLAIM, RECOVER, CANCEL, reconcile(Evidence.AMBIGUOUS), fail()]
named = pytest.mark.parametrize("command", EVERYTHING, ids=lambda command: type(command).__name__)


def principals(play: Play) -> list[str]:
    return [event.principal for event in play.run.history]


@named
def test_no_door_but_its_own_is_open_to_a_command(command: Command) -> None:
    play = in_flight()
    before = play.state
    for door in set(EntryPoint) - {command.entry_point}:
        assert play.ask(asking(command, door=door)) == Refused(Reason.NOT_ALLOWED)
    assert play.state is before


@named
def test_to_a_stranger_a_run_looks_as_if_it_did_not_exist(command: Command) -> None:
    play = in_flight()
    before = play.state
    assert play.ask(asking(command, tenant=STRANGERS)) == Refused(Reason.NO_SUCH_RUN)
    assert Play().ask(asking(command, tenant=STRANGERS)) == Refused(Reason.NO_SUCH_RUN)
    assert play.state is before


def test_a_stranger_does_not_learn_that_an_id_is_taken() -> None:
    assert queued().ask(asking(SUBMIT, tenant=STRANGERS)) == Refused(Reason.NO_SUCH_RUN)
    assert sealed().ask(asking(continued(), tenant=STRANGERS)) == Refused(Reason.NO_SUCH_RUN)


def test_a_run_is_of_the_tenant_in_whose_session_it_was_submitted() -> None:
    play = queued().do(asking(replace(SUBMIT, run=NEXT), tenant=STRANGERS))
    assert (play.run.tenant, play.other(NEXT).tenant) == (TENANT, STRANGERS)
    assert play.ask(Observe(ID, NEXT)) == Refused(Reason.NO_SUCH_RUN)
    assert play.ask(asking(Observe(ID, NEXT), tenant=STRANGERS)) == Done()


def test_ids_of_requests_and_calls_are_unique_in_a_tenant_and_free_in_another() -> None:
    play = Play().do(replace(SUBMIT, request=REQUEST), CLAIM, intend())
    play.do(asking(replace(SUBMIT, run=NEXT, request=REQUEST), tenant=STRANGERS))
    play.do(asking(replace(CLAIM, run=NEXT), tenant=STRANGERS), asking(replace(intend(), run=NEXT), tenant=STRANGERS))
    assert [call.call for call in play.other(NEXT).calls] == [PAY]


def test_every_event_names_who_asked() -> None:
    play = queued().do(asking(CLAIM, principal=ALICE), publish(), asking(CANCEL, principal="bob"))
    assert principals(play) == ["model", ALICE, "model", "bob"]


def test_all_events_of_one_commit_name_the_same_person_and_the_chain_holds() -> None:
    play = in_flight().do(asking(fail(), principal=ALICE))
    assert principals(play)[-2:] == [ALICE, ALICE]
    before = None
    for event in play.run.history:
        assert (event.previous_digest, event.digest) == (before, event_digest(event))
        before = event.digest


def test_a_cancellation_names_who_asked_in_the_children_too() -> None:
    play = with_child().do(asking(CANCEL, principal=ALICE))
    assert play.other(CHILD).history[-1].principal == ALICE


def test_a_child_is_of_its_parents_tenant() -> None:
    play = Play().do(asking(SUBMIT, tenant=STRANGERS), asking(CLAIM, tenant=STRANGERS))
    assert play.do(asking(spawn(), tenant=STRANGERS)).other(CHILD).tenant == STRANGERS


def test_the_same_command_by_another_principal_is_told_the_first_answer() -> None:
    """Who asks is no part of a command."""
    play = running()
    command = replace(publish(), command_id=CommandId("twice"))
    play.do(asking(command, principal=ALICE))
    before = play.run
    assert play.ask(asking(command, principal="bob")) == Done()
    assert play.run == before
