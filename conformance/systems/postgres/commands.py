"""Says a command of the vocabulary to the store, and its answer in the words of the vocabulary."""

from typing import assert_never

import psycopg

from keepfact.conformance.systems.said import name_of, values_of
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
    return _outcome(store.perform(name_of(command), **_values(command)))


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


def _values(command: Command) -> dict[str, Value]:
    """The fields of a command are the parameters of its SQL function."""
    return {_PARAMETERS.get(name, name): value for name, value in values_of(command).items()}


_PARAMETERS = {"user": "user_"}
"""What SQL keeps for itself has another name there."""
