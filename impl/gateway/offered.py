"""Which entries of the table are served: those that the store offers, with the fields that it takes."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from pydantic import create_model

from .bodies import Body
from .table import COMMANDS, READINGS, Entry


def offered(commands: Mapping[str, tuple[str, str]], doors: Collection[str]) -> list[Entry]:
    """The entries for a store with these commands, each with its entry point and its parameters, at these doors.

    A command that the store does not know is left out, and so is a field that it does not take.
    """
    known = [entry for entry in COMMANDS if entry.name in commands and entry.scope in doors]
    return [*READINGS, *(_fitted(entry, _parameters(commands[entry.name][1])) for entry in known)]


def arguments(entry: Entry, parameters: Collection[str], said: Mapping[str, Any]) -> dict[str, Any]:
    """What was said, by the names that the store has for it; they may differ in underscores at their end."""
    values = {_plain(name): value for name, value in {**entry.fixed, **said}.items()}
    return {name: _told(values[_plain(name)]) for name in parameters}


def _told(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _fitted(entry: Entry, parameters: list[str]) -> Entry:
    assert entry.body is not None  # every command has a body, if only an empty one
    taken = {_plain(name) for name in parameters}
    fields = [name for name in entry.body.model_fields if _plain(name) in taken]
    said = {"command_id", *entry.path_fields, *entry.fixed, *map(_plain, fields)}
    if unsaid := taken - said:
        raise TypeError(f"{entry.method} {entry.path} has no field for {', '.join(sorted(unsaid))} of {entry.name}")
    if unheard := set(entry.path_fields) - taken:
        raise TypeError(f"{entry.name} takes no {', '.join(sorted(unheard))}, which {entry.path} names")
    fixed = {name: value for name, value in entry.fixed.items() if name in taken}
    return replace(entry, body=_with_fields(entry.body, tuple(fields)), fixed=fixed)


@cache
def _with_fields(body: type[Body], names: tuple[str, ...]) -> type[Body]:
    """The same body with these fields only. Two entries of one command share it."""
    fields: dict[str, Any] = {name: (body.model_fields[name].annotation, body.model_fields[name]) for name in names}
    made = create_model(body.__name__, __base__=Body, __doc__=body.__doc__, **fields)
    made.model_config["json_schema_extra"] = body.model_config.get("json_schema_extra")
    return made


def _parameters(declared: str) -> list[str]:
    return [parameter.split()[0] for parameter in declared.split(", ")]


def _plain(name: str) -> str:
    return name.rstrip("_")
