"""The table says all that the book says, and serves what the store offers."""

from dataclasses import fields
from typing import get_args

import pytest
from pydantic import ValidationError

from keepfact.impl.gateway.app import OF_STORE
from keepfact.impl.gateway.offered import arguments, offered
from keepfact.impl.gateway.refusals import REFUSALS
from keepfact.impl.gateway.settings import EntryPoint
from keepfact.impl.gateway.table import COMMANDS
from keepfact.spec.entry_points import RULE_OF
from keepfact.spec.vocabulary import commands as of_book
from keepfact.spec.vocabulary import terms

READ = {"Observe", "Stream"}
"""Commands of the book that are readings here."""

BEYOND = {
    "submit": {"input"},
    "continue": {"input"},
    "spawn": {"input"},
    "save_material": {"content"},
    "recover": {"schema"},
    "wake": {"schema"},
}
"""What the store takes beside what the book speaks of, by command."""


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)[1:]


@pytest.mark.parametrize("command", get_args(of_book.Command), ids=lambda command: command.__name__)
def test_every_command_of_the_book_can_be_said(command: type[of_book.Asked]) -> None:
    if command.__name__ in READ:
        return
    entries = [entry for entry in COMMANDS if entry.name == _snake(command.__name__)]
    assert entries
    for entry in entries:
        assert entry.body is not None
        said = {"command_id", *entry.path_fields, *entry.fixed, *(name.rstrip("_") for name in entry.body.model_fields)}
        spoken_of = {field.name for field in fields(command)}
        assert (said, entry.scope) == (spoken_of | BEYOND.get(entry.name, set()), command.entry_point)


def test_nothing_else_can_be_said() -> None:
    book = {_snake(command.__name__) for command in get_args(of_book.Command) if command.__name__ not in READ}
    assert {entry.name for entry in COMMANDS} == book


def test_each_door_of_the_book_is_a_scope() -> None:
    assert get_args(EntryPoint) == tuple(terms.EntryPoint)


def test_each_reason_of_the_book_has_a_status_and_its_rule() -> None:
    assert {reason: refusal.rule for reason, refusal in REFUSALS.items()} == RULE_OF


def test_each_command_of_the_store_is_served_in_its_session_with_all_that_it_takes() -> None:
    served = {entry.name: entry for entry in offered(OF_STORE, get_args(EntryPoint)) if entry.body}
    assert {name: entry.scope for name, entry in served.items()} == {name: door for name, (door, _) in OF_STORE.items()}
    for name, extra in BEYOND.items():
        body = served[name].body
        assert body is not None
        assert extra <= {name.rstrip("_") for name in body.model_fields}


def test_a_command_is_there_once_the_store_has_it() -> None:
    cancel = {"cancel": ("cancel", "command_id text, run text")}
    assert "cancel" not in {entry.name for entry in offered({}, ["cancel"])}
    assert "cancel" in {entry.name for entry in offered(cancel, ["cancel"])}


def test_a_command_is_not_there_without_its_door() -> None:
    assert "submit" not in {entry.name for entry in offered(OF_STORE, ["observe"])}


def test_a_field_is_there_once_the_store_takes_it() -> None:
    small = offered({"submit": ("submit", "command_id text, run text, budget_cents bigint")}, ["submit"])[-1]
    large = offered({"submit": ("submit", "command_id text, run text, request text")}, ["submit"])[-1]
    assert small.body is not None
    assert large.body is not None
    assert large.body.model_validate({"run": "r", "request": "q"})
    with pytest.raises(ValidationError, match="Extra inputs"):
        small.body.model_validate({"run": "r", "budget_cents": 1, "request": "q"})


def test_names_that_are_taken_in_sql_have_none_of_its_underscores_in_json() -> None:
    (entry,) = offered({"grant": ("grant", "command_id text, source text, user_ text")}, ["grant"])[-1:]
    assert entry.body is not None
    said = entry.body.model_validate({"user": "ann"})
    named = {"command_id": "c", "source": "s", **{name: getattr(said, name) for name in entry.body.model_fields}}
    assert arguments(entry, ["command_id", "source", "user_"], named) == {
        "command_id": "c", "source": "s", "user_": "ann",
    }  # fmt: skip


def test_what_the_store_takes_and_nobody_can_say_is_our_own_mistake() -> None:
    with pytest.raises(TypeError, match=r"POST /v1/runs/\{run\}/renew has no field for mood of renew"):
        offered({"renew": ("work", "command_id text, run text, fence bigint, mood text")}, ["work"])
