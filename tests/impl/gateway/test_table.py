"""The table says all that the book says, and asks of the store exactly what each of its commands takes."""

from dataclasses import fields
from typing import get_args

import pytest

from keepfact.impl.commands import COMMANDS, ENTRY_POINTS
from keepfact.impl.gateway.bodies import Body
from keepfact.impl.gateway.table import ENTRIES, Entry, entries_at
from keepfact.spec.vocabulary import commands as of_book
from keepfact.spec.vocabulary import terms

NO_COMMANDS = {"Observe", "Stream", "Replay", "LookUp"}
"""What the book speaks of and the store has no command for: two are readings here, one decides, one asks a tool."""

BEYOND = {
    "submit": {"input"},
    "continue": {"input"},
    "spawn": {"input"},
    "save_material": {"content"},
    "recover": {"schema"},
    "wake": {"schema"},
}
"""What the store takes beside what the book speaks of, by command."""

UNSAID = {"intend": {"credential"}}
"""What the book speaks of and the store does not take: it goes out with the request, and is stored nowhere."""

SAID = [(entry, entry.body) for entry in ENTRIES if entry.body]


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)[1:]


OF_BOOK = {
    _snake(command.__name__): command for command in get_args(of_book.Command) if command.__name__ not in NO_COMMANDS
}

each_command = pytest.mark.parametrize(("entry", "body"), SAID, ids=[entry.path for entry, _ in SAID])


@each_command
def test_an_entry_says_what_the_book_says(entry: Entry, body: type[Body]) -> None:
    command = OF_BOOK[entry.name]
    in_json = {field.validation_alias or name for name, field in body.model_fields.items()}
    of_book = {field.name for field in fields(command)}
    assert in_json | _besides(entry) == of_book - UNSAID.get(entry.name, set()) | BEYOND.get(entry.name, set())
    assert entry.scope == command.entry_point


@each_command
def test_an_entry_asks_for_all_that_its_command_takes(entry: Entry, body: type[Body]) -> None:
    command = COMMANDS[entry.name]
    said = {field.serialization_alias or name: field for name, field in body.model_fields.items()}
    assert sorted([*said, *_besides(entry)]) == sorted(command.types)  # and nothing twice
    assert {name: field.default for name, field in said.items() if not field.is_required()} == command.defaults
    assert entry.scope == command.entry_point


def _besides(entry: Entry) -> set[str]:
    """What is said elsewhere than in the body."""
    return {"command_id", *entry.path_fields, *entry.fixed}


def test_every_command_of_the_book_can_be_asked_for_and_none_else() -> None:
    assert {entry.name for entry, _ in SAID} == COMMANDS.keys() == OF_BOOK.keys()


def test_each_door_of_the_book_can_be_opened() -> None:
    assert tuple(terms.EntryPoint) == ENTRY_POINTS


def test_only_without_its_door_an_entry_is_not_there() -> None:
    assert entries_at(ENTRY_POINTS) == list(ENTRIES)
    without = entries_at(set(ENTRY_POINTS) - {"submit"})
    assert [entry for entry in ENTRIES if entry not in without] == [
        entry for entry in ENTRIES if entry.scope == "submit"
    ]
    assert {entry.scope for entry in entries_at(["observe"])} == {"observe", None}


def test_names_that_are_taken_in_sql_have_none_of_its_underscores_in_json() -> None:
    (body,) = (body for entry, body in SAID if entry.name == "grant")
    assert body.model_validate({"user": "ann"}).said() == {"user_": "ann"}
