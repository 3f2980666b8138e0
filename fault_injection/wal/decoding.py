"""What PostgreSQL's `test_decoding` says, line by line, as what it means: begin, change, message, commit.

A line names tables and columns as SQL would, and quotes values as SQL would. So whatever may stand in a name or in a
value, a line can be read in one way only, and one that cannot be read at all is an error and never passed over.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum


class UnreadableLineError(ValueError):
    """A line that `test_decoding`, as we know it, does not write."""


class Action(StrEnum):
    """What was done to a row; by TRUNCATE to all rows of a table."""

    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    TRUNCATE = "truncate"


class Unchanged(Enum):
    """Stands for a large value that an update left as it was: the log does not repeat it."""

    UNCHANGED = "unchanged"


UNCHANGED = Unchanged.UNCHANGED

Value = str | Unchanged | None
"""A value as PostgreSQL writes it as text, whatever its type; None for null."""

Values = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Begin:
    """A transaction that was committed begins."""

    xid: int


@dataclass(frozen=True, slots=True)
class Commit:
    """It ends."""


@dataclass(frozen=True, slots=True)
class Message:
    """What somebody told the log. One that is not transactional says nothing of the transaction it came from."""

    prefix: str
    content: str
    is_transactional: bool = True


@dataclass(frozen=True, slots=True)
class Change:
    """One row, or by TRUNCATE all rows of several tables. Tables are named with their schema.

    `old` has the columns that identify the row, where the log needs them: of a deleted row, and of one whose key has
    changed. `new` has all columns. A table without a replica identity has nothing in `old`.
    """

    action: Action
    tables: tuple[tuple[str, str], ...]
    old: Values
    new: Values


def read(line: str) -> Begin | Commit | Message | Change:
    """What the line says. Raises UnreadableLineError."""
    kind = line.partition(" ")[0]
    if kind == "BEGIN" and (begun := _BEGIN.fullmatch(line)):
        return Begin(int(begun["xid"]))
    if kind == "COMMIT":
        return Commit()
    if kind == "message:":
        return _message(line)
    if kind == "table" and (changed := _CHANGE.match(line)):
        return _change(line, changed)
    raise _unreadable(line)


def _message(line: str) -> Message:
    """A prefix may hold whatever stands after it too: only where the size fits can the content begin."""
    begun = _MESSAGE.match(line)
    if begun:
        for size in _SIZE.finditer(line, begun.end()):
            content = line[size.end() :]
            if len(content.encode("utf-8", "surrogateescape")) == int(size["bytes"]):
                return Message(line[begun.end() : size.start()], content, begun["transactional"] == "1")
    raise _unreadable(line)


def _change(line: str, changed: re.Match[str]) -> Change:
    action = Action(changed["action"].lower())
    tables = tuple((_unquoted(found[1]), _unquoted(found[2])) for found in _TABLE.finditer(changed["tables"]))
    rest = line[changed.end() :]
    if action is Action.TRUNCATE:
        if not _FLAGS.fullmatch(rest):
            raise _unreadable(line)
        return Change(action, tables, {}, {})
    if rest == " (no-tuple-data)":
        return Change(action, tables, {}, {})
    if rest.startswith(_OLD_KEY):
        old, place = _tuple(line, changed.end() + len(_OLD_KEY))
        if not line.startswith(_NEW_TUPLE, place):
            raise _unreadable(line)
        new, place = _tuple(line, place + len(_NEW_TUPLE))
    else:
        new, place = _tuple(line, changed.end())
        old = {}
    if place != len(line):
        raise _unreadable(line)
    return Change(action, tables, new, {}) if action is Action.DELETE else Change(action, tables, old, new)


def _tuple(line: str, place: int) -> tuple[dict[str, Value], int]:
    """The columns that stand from that place on, and where they end."""
    found = dict[str, Value]()
    for column in _columns(line, place):
        found[_unquoted(column["name"])] = _value(column)
        place = column.end()
    return found, place


def _columns(line: str, place: int) -> Iterator[re.Match[str]]:
    while column := _COLUMN.match(line, place):
        yield column
        place = column.end()


def _value(column: re.Match[str]) -> Value:
    if (quoted := column["quoted"]) is not None:
        return quoted.replace("''", "'")
    match column["bare"]:
        case "null":
            return None
        case "unchanged-toast-datum":
            return UNCHANGED
        case bare:
            return bare


def _unquoted(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name


def _unreadable(line: str) -> UnreadableLineError:
    return UnreadableLineError(
        f"expected a line as test_decoding writes it, but it is {line[:500]!r}. Is this a newer PostgreSQL? Then teach "
        "fault_injection/wal/decoding.py its form."
    )


_NAME = r'(?:"(?:[^"]|"")*+"|[a-z_][a-z0-9_]*+)'
_BEGIN = re.compile(r"BEGIN (?P<xid>\d+)")
_MESSAGE = re.compile(r"message: transactional: (?P<transactional>[01]) prefix: ")
_SIZE = re.compile(r", sz: (?P<bytes>\d+) content:")
_TABLE = re.compile(rf"({_NAME})\.({_NAME})")
_CHANGE = re.compile(
    rf"table (?P<tables>{_NAME}\.{_NAME}(?:, {_NAME}\.{_NAME})*): (?P<action>INSERT|UPDATE|DELETE|TRUNCATE):"
)
_FLAGS = re.compile(r" (?:\(no-flags\)|restart_seqs|cascade|restart_seqs cascade)")
_OLD_KEY, _NEW_TUPLE = " old-key:", " new-tuple:"
_TYPE = r'(?:"(?:[^"]|"")*+"|\[\]|[^"\[\]])++'
_COLUMN = re.compile(rf" (?P<name>{_NAME})\[{_TYPE}\]:(?:B?'(?P<quoted>(?:[^']|'')*+)'|(?P<bare>[^' ]++))", re.DOTALL)
