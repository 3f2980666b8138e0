"""Whether what the log shows was written by who may: the authority table, held against every transaction."""

from collections.abc import Iterator
from typing import get_args

from keepfact.conformance.abilities import HARNESS, WriteAheadLog
from keepfact.conformance.systems.said import in_small_letters
from keepfact.spec.entry_points import MAY_WRITE
from keepfact.spec.vocabulary import Command, EntryPoint, Renew

from .decoding import Action
from .witness import Row, Transaction


def is_of_the_harness(transaction: Transaction, log: WriteAheadLog) -> bool:
    """It says that an adapter wrote it, and nobody else does."""
    return bool(transaction.said(HARNESS))


def is_heartbeat(transaction: Transaction, log: WriteAheadLog) -> bool:
    """It is signed as what a worker does by itself at any time: having its lease renewed."""
    return _signatures(transaction, log) == (f"{Renew.entry_point}:{in_small_letters(Renew.__name__)}",)


def door_of(transaction: Transaction, log: WriteAheadLog) -> EntryPoint | None:
    """The entry point that signed it; None if none did, or not one alone: then the writer is unknown."""
    match _signatures(transaction, log):
        case (said,):
            return _door_said(said)
        case _:
            return None


def objections(transaction: Transaction, log: WriteAheadLog) -> Iterator[str]:
    """What is wrong with who wrote it, each as the end of the sentence "one entry point writes what it may, but …".

    Nothing is known of a system that does not sign, and so nothing is said of it.
    """
    if log.prefix is None:
        return
    signatures = _signatures(transaction, log)
    if transaction.said(HARNESS) and signatures:
        yield f"the harness and {' and '.join(signatures)} both signed it"
    door = door_of(transaction, log)
    if len(signatures) != 1:
        yield f"{' and '.join(signatures) or 'nobody'} signed what wrote {in_words(transaction)}"
    elif door is None:
        yield f"it was signed {signatures[0]!r}, which is no command of an entry point"
    else:
        for row in transaction.rows:
            yield from _objections_to(row, door, log)


def in_words(transaction: Transaction) -> str:
    """What was done to which tables."""
    return ", ".join(dict.fromkeys(said_of(row) for row in transaction.rows))


def said_of(row: Row) -> str:
    """As a table of authority says it: `insert runs`."""
    return f"{row.action} {row.table}"


def run_of(transaction: Transaction, log: WriteAheadLog) -> str:
    """The run that it is about, as its events say, or any other of its rows; nothing if none says."""
    column = log.events.run if log.events else "run"
    named = (row.values.get(column) for row in transaction.rows)
    return next((value for value in named if isinstance(value, str)), "")


def _objections_to(row: Row, door: EntryPoint, log: WriteAheadLog) -> Iterator[str]:
    if log.may_write and said_of(row) not in log.may_write.get(door, frozenset()):
        key = ", ".join(str(value) for _, value in row.key)
        yield f"{door} did {said_of(row)} ({key}), which it may not"
    if log.events and row.table == log.events.table and row.action is Action.INSERT:
        signed, kind = row.values.get(log.events.entry_point), row.values.get(log.events.type)
        if signed != door:
            yield f"{door} wrote an event in the name of {signed}"
        if kind not in MAY_WRITE[door]:
            yield f"{door} wrote an event {kind}, which it may not"


def _signatures(transaction: Transaction, log: WriteAheadLog) -> tuple[str, ...]:
    return transaction.said(log.prefix) if log.prefix is not None else ()


def _door_said(said: str) -> EntryPoint | None:
    """The entry point of `entry_point:command`, if that command is one of its own."""
    door, _, command = said.partition(":")
    return _DOORS.get(command) if _DOORS.get(command) == door else None


_DOORS: dict[str, EntryPoint] = {
    in_small_letters(command.__name__): command.entry_point for command in get_args(Command)
}
"""The entry point of each command, by its name in small letters."""
