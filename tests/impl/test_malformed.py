"""Whatever a login puts into a command: it is done or refused, and never an error of the database."""

import itertools
from collections.abc import Callable, Iterator

import psycopg
import pytest

from keepfact.impl.commands import COMMANDS
from keepfact.impl.connect import connect
from keepfact.impl.installation import Installation
from keepfact.impl.prepared import Value

from .driving import Driver, identity_of
from .successes import READ, SUCCESSES, call_of, sent, values_of

STRANGE: dict[str, tuple[Value, ...]] = {
    "text": (None, "", "two\nlines", "nön-ascii", "x" * 201, "x" * 10_000, "latest", "no_such_thing"),
    "bigint": (None, -(2**63), -1, 0, 2**63 - 1),
    "integer": (None, -(2**31), -1, 0, 2**31 - 1),
    "boolean": (None, False, True),
    "text[]": (None, (), ("",), ("two\nlines", "x" * 10_000)),
}
"""What may stand in a parameter of each type, beside what belongs there."""

ARRAYS = ("array[null]::text[]", "array[['a', 'b'], ['c', 'd']]")
"""Arrays that only somebody with a connection of their own can send."""

Ask = Callable[[str, list[object]], str]


@pytest.fixture
def ask(trusted: Installation, alone: Driver) -> Iterator[Callable[[str], Ask]]:
    """At a door, as the tenant of the run: ask, hear the outcome, and undo it."""
    opened: dict[str, psycopg.Connection] = {}

    def at(door: str) -> Ask:
        connection = opened.setdefault(door, connect(trusted.dsns[door]))

        def ask(call: str, values: list[object]) -> str:
            with connection.transaction(force_rollback=True):
                connection.execute("select keepfact.on_behalf(%s, %s)", identity_of(alone))
                row = connection.execute(f"select {call} ->> 'outcome'".encode(), values).fetchone()
            assert row is not None
            return str(row[0])

        return ask

    yield at
    for connection in opened.values():
        connection.close()


@pytest.mark.parametrize("command", COMMANDS)
def test_no_value_of_any_parameter_is_an_error(alone: Driver, ask: Callable[[str], Ask], command: str) -> None:
    values = sent(values_of(SUCCESSES[command][0](alone), command))
    types = list(COMMANDS[command].types.values())
    at_its_door = ask(COMMANDS[command].entry_point)
    call = call_of(command, types)
    assert at_its_door(call, values) == "done"
    wrong = []
    for number, type_name in enumerate(types):
        for strange in STRANGE[type_name]:
            changed = [*values[:number], *sent([strange]), *values[number + 1 :]]
            wrong += _errors(at_its_door, call, changed)
        for array in ARRAYS if type_name == "text[]" else ():
            parts = [f"%s::{one}" for one in types]
            parts[number] = array
            rest = [*values[:number], *values[number + 1 :]]
            wrong += _errors(at_its_door, f"keepfact.{command}({', '.join(parts)})", rest)
    wrong += _errors(at_its_door, call, [None] * len(types))
    assert wrong == []


@pytest.mark.parametrize("command", COMMANDS)
def test_no_two_strange_values_together_are_an_error(alone: Driver, ask: Callable[[str], Ask], command: str) -> None:
    """One that is refused could hide what another would do later on."""
    values = sent(values_of(SUCCESSES[command][0](alone), command))
    types = list(COMMANDS[command].types.values())
    call = call_of(command, types)
    wrong = []
    for first, second in itertools.combinations(range(len(types)), 2):
        changed = list(values)
        changed[first] = changed[second] = None
        wrong += _errors(ask(COMMANDS[command].entry_point), call, changed)
    assert wrong == []


@pytest.mark.parametrize(("door", "reading", "types"), READ)
def test_no_value_of_any_parameter_of_a_reading_is_an_error(
    trusted: Installation, alone: Driver, door: str, reading: str, types: tuple[str, ...]
) -> None:
    alone.claimed()
    call = f"select * from {call_of(reading, types)}"
    with connect(trusted.dsns[door]) as connection:
        for values in itertools.product(*(STRANGE[type_name] for type_name in types)):
            with connection.transaction():
                connection.execute("select keepfact.on_behalf(%s, %s)", identity_of(alone))
                connection.execute(call.encode(), sent(values)).fetchall()


def _errors(ask: Ask, call: str, values: list[object]) -> list[str]:
    """What went wrong; nothing did, if it was done or refused."""
    try:
        outcome = ask(call, values)
    except psycopg.Error as error:
        return [f"{call} {str(values)[:500]}: {error}"]
    return [] if outcome in ("done", "refused") else [f"{call} {str(values)[:500]}: {outcome}"]
