"""Plain names for what pictures show, made from the vocabulary's own, and text that no markup can be broken with."""

import re
from collections.abc import Iterator
from dataclasses import MISSING, fields
from typing import Any

from keepfact.spec.vocabulary import Act, Asked, Cause, Drifted, RunId, Session, Tick, ToolReleased, run_of

_VALUE_MAX = 32
_SECRETS = {"credential"}
"""Fields of commands that are sent along and shown nowhere (HISTORY.8)."""


def name_of(cause: Cause) -> str:
    """`RecordAnswer` is called `record answer`."""
    return spelled(type(cause).__name__)


def spelled(name: str) -> str:
    """A class name, or a value with underscores, as words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").lower()


def asker_of(cause: Cause, session: Session | None) -> str:
    """The entry point that was asked; for a happening, where it comes from."""
    match cause:
        case Tick():
            return "clock"
        case Act() | Drifted() | ToolReleased():
            return "outside"
        case Asked():
            door = cause.entry_point if session is None else session.role
            return door if session is None else f"{door}, {_short(session.principal)} of {_short(session.tenant)}"
        case _:
            return "by itself"


def in_full(cause: Cause, main: RunId | None) -> str:
    """The name with whatever it says that is not usual: `intend attempt, arguments, ceiling cents 1, fence 1`."""
    elsewhere = run_of(cause) not in {None, main}
    said = [*_said(cause, elsewhere)]
    return f"{name_of(cause)}: {', '.join(said)}" if said else name_of(cause)


def printable(text: str) -> str:
    """The text on one line, with an escape for each character that is not printable."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def _said(cause: Cause, elsewhere: bool) -> Iterator[str]:
    """Each field that is not left at its default, the ids without their names."""
    for field in fields(cause):
        value = getattr(cause, field.name)
        is_usual = field.default is not MISSING and value == field.default
        if field.name == "command_id" or is_usual or (field.name == "run" and not elsewhere):
            continue
        name = spelled(field.name)
        if field.name in _SECRETS:
            yield f"with a {name}"
        elif isinstance(value, bool):
            yield name if value else f"not {name}"
        else:
            shown = _plain(value)
            yield name if shown == name else f"{name} {shown}"


def _plain(value: Any) -> str:
    if value is None:
        return "not named"
    if isinstance(value, tuple):
        return " and ".join(map(_plain, value)) or "none"
    return _short(str(value))


def _short(text: str) -> str:
    shown = printable(text[: _VALUE_MAX + 1])
    return shown if len(shown) <= _VALUE_MAX else f"{shown[: _VALUE_MAX - 1]}…"
