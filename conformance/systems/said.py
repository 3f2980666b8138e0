"""A command as the implementation says it, in SQL and over HTTP alike: in small letters, with plain values."""

from dataclasses import fields
from enum import Enum
from functools import cache
from typing import Any

from keepfact.spec.vocabulary import Command


def name_of(command: Command) -> str:
    """What it is called there."""
    return in_small_letters(type(command).__name__)


def values_of(command: Command) -> dict[str, Any]:
    """Its fields by their names. A credential goes to a tool, and is stored nowhere."""
    values = {field.name: getattr(command, field.name) for field in fields(command) if field.name != "credential"}
    return {name: value.value if isinstance(value, Enum) else value for name, value in values.items()}


@cache
def in_small_letters(name: str) -> str:
    """RecordAnswer is record_answer there."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")
