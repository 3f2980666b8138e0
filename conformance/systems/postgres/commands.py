"""Says a command of the vocabulary to the store, and its answer in the words of the vocabulary."""

from dataclasses import fields
from enum import Enum
from functools import cache
from typing import assert_never

import psycopg

from keepfact.impl import outcomes
from keepfact.impl.prepared import Value
from keepfact.impl.store import ConnectionLostError, Identity, NotAllowedError, Store
from keepfact.spec.vocabulary import (
    Command,
    Done,
    Fence,
    LeaseGrant,
    Lost,
    Observe,
    Outcome,
    Reason,
    Refused,
    RunId,
    Session,
    Stream,
    Streamed,
)

from .views import event_view

EVENTS_MAX = 100_000


def ask(store: Store, identity: Identity, session: Session, command: Command) -> Outcome:
    """As asked for somebody, at a door."""
    store = store.speaking_for(identity).at(session.role.value)
    if isinstance(command, (Observe, Stream)):
        return _read(store, command)
    return _outcome(store.perform(_sql_name(type(command).__name__), **_values(command)))


def ask_beside_others(store: Store, identity: Identity, session: Session, command: Command) -> Outcome:
    """As asked beside others. Where they got in its way the server may raise an error, and who asked knows nothing."""
    try:
        return ask(store, identity, session, command)
    except psycopg.Error:
        return Lost()


def _read(store: Store, command: Observe | Stream) -> Outcome:
    try:
        if isinstance(command, Observe):
            return Done() if store.observe([command.run]) else Refused(Reason.NO_SUCH_RUN)
        read = store.read_events(command.run, command.after, EVENTS_MAX)  # whoever may not ask is told only that
        if command.after < 0:
            return Refused(Reason.MALFORMED)
    except NotAllowedError:
        return Refused(Reason.NOT_ALLOWED)
    except ConnectionLostError:
        return Lost()
    if read is None:
        return Refused(Reason.NO_SUCH_RUN)
    return Done(stream=Streamed(tuple(map(event_view, read["events"])), read["is_over"]))


def _outcome(outcome: outcomes.Outcome) -> Outcome:
    match outcome:
        case outcomes.Done(grant):
            return Done(LeaseGrant(Fence(grant.fence), grant.lease_seconds) if grant else None)
        case outcomes.Refused(reason, runs):
            return Refused(Reason(reason), tuple(map(RunId, runs)))
        case outcomes.Lost():
            return Lost()
    assert_never(outcome)


@cache
def _sql_name(name: str) -> str:
    """RecordAnswer is record_answer there."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


def _values(command: Command) -> dict[str, Value]:
    """The fields of a command are the parameters of its SQL function. A credential is stored nowhere."""
    values: dict[str, Value] = {}
    for field in fields(command):
        value = getattr(command, field.name)
        values[_PARAMETERS.get(field.name, field.name)] = value.value if isinstance(value, Enum) else value
    values.pop("credential", None)
    return values


_PARAMETERS = {"user": "user_"}
"""What SQL keeps for itself has another name there."""
