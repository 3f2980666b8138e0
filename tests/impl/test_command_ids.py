"""A command is done once under its id, tells of it once, and the id is no other command's."""

import pytest

from keepfact.impl.commands import COMMANDS
from keepfact.impl.outcomes import Done, Refused
from keepfact.impl.prepared import Value

from .driving import Driver, fresh
from .successes import SUCCESSES, filled

TOLD: dict[str, tuple[str, ...]] = {
    "submit": ("admitted",),
    "continue": ("admitted",),
    "claim": ("granted",),
    "renew": (),
    "release": ("released",),
    "intend": ("intended",),
    "send_again": ("sent_again",),
    "record_answer": ("answered",),
    "mark_unknown": ("lost",),
    "publish": ("published",),
    "request_approval": ("waited",),
    "wait": ("waited",),
    "spawn": ("spawned",),
    "mark": ("marked",),
    "save_material": ("saved",),
    "read_material": ("saved",),
    "succeed": ("ended",),
    "fail": ("ended",),
    "stop": ("ended",),
    "recover": ("granted",),
    "decide": ("decided",),
    "assess": ("assessed",),
    "deliver": ("arrived",),
    "wake": ("granted",),
    "cancel": ("cancel_requested",),
    "reconcile": ("reconciled",),
}
"""What the history of the run says of each command that is about one; of no other is anything said."""


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_is_done_tells_of_it_once_and_said_again_gets_its_first_answer(
    alone: Driver, command: str
) -> None:
    stage, fields = SUCCESSES[command]
    before = len(_told(stage(alone)))
    asked: dict[str, Value] = {**filled(alone, fields), "command_id": fresh("command")}
    first = alone.do(command, **asked)
    assert isinstance(first, Done)
    assert tuple(_told(alone)[before:]) == TOLD.get(command, ())
    seen = alone.store.survey([alone.run])
    assert alone.do(command, **asked) == first
    assert alone.store.survey([alone.run]) == seen


@pytest.mark.parametrize("command", COMMANDS)
def test_an_id_that_was_given_to_one_command_is_no_other_commands(alone: Driver, command: str) -> None:
    stage, fields = SUCCESSES[command]
    taken = fresh("command")
    stage(alone)
    assert alone.do("grant", source="anything", user_="anybody", command_id=taken) == Done()
    seen = alone.store.survey([alone.run])
    assert alone.do(command, **{**filled(alone, fields), "command_id": taken}) == Refused("command_id_conflict")
    assert alone.store.survey([alone.run]) == seen


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("command_id", ["", "two words", "two\nlines", "c" * 201])
def test_a_command_needs_an_id_that_can_go_into_a_digest(alone: Driver, command: str, command_id: str) -> None:
    stage, fields = SUCCESSES[command]
    stage(alone)
    seen = alone.store.survey([alone.run])
    assert alone.do(command, **{**filled(alone, fields), "command_id": command_id}) == Refused("malformed")
    assert alone.store.survey([alone.run]) == seen


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


def _told(run: Driver) -> list[str]:
    """The types of the run's events; none before it is admitted."""
    return run.events if run.store.observe([run.run]) else []
