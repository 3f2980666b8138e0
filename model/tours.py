"""Walks over the scopes that together take every class of edge once: what a real system is asked first.

An edge class is what was asked, where the run stood, and how it ended. The walks are shortest paths; one that another
already takes along is left out.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from keepfact.spec.vocabulary import (
    TENANT,
    WAITS,
    Asking,
    Cause,
    Command,
    CommandId,
    Continue,
    Decide,
    Deliver,
    Done,
    Drifted,
    Fail,
    Intend,
    Mark,
    Outcome,
    Publish,
    Reconcile,
    RecordAnswer,
    Recover,
    Refused,
    RunView,
    Step,
    Succeed,
    Wait,
    WaitState,
)

from .scopes import LEASE_SECONDS, SCOPES, Scope
from .state import State
from .step import step
from .view import view
from .walker import Walker

EdgeClass = tuple[str, str, str]
Walk = tuple[Cause | Asking, ...]

_QUIET_EDGES = 40_000
"""A search of a scope ends when it has found no new class for so many edges. So far none was ever missed by that."""


def tours(scopes: Iterable[Scope] = SCOPES) -> list[Walk]:
    """The walks, longest first. Command ids are unique within a walk, except where a command is repeated on purpose."""
    paths: dict[EdgeClass, tuple[Step, ...]] = {}
    for scope in scopes:
        _find_new_classes(scope, paths)
    walks, covered = [], set[EdgeClass]()
    for path in sorted(paths.values(), key=len, reverse=True):
        if edge_class(path[-1]) not in covered:
            covered.update(map(edge_class, path))
            walks.append(_walk(path))
    return walks


def taken(walk: Walk) -> Iterator[Step]:
    """The steps of the perfect model along a walk, from nothing."""
    state, answers = State(LEASE_SECONDS), dict[Cause | Asking, Outcome | None]()
    for cause in walk:
        before = state
        outcome, state = step(state, cause)
        asked, session = (cause.command, cause.session) if isinstance(cause, Asking) else (cause, None)
        repeats = answers.get(cause) if isinstance(asked, Command) else None
        yield Step(view(before), asked, outcome, view(state), before.truth, state.truth, repeats, session)
        if isinstance(outcome, Done):
            answers[cause] = outcome


def edge_class(edge: Step) -> EdgeClass:
    """What was asked or happened, where the run stood before, and how it ended."""
    name = f"{type(edge.cause).__name__} again" if edge.repeats else _asked(edge)
    return name + _by_whom(edge), _stood(edge.old), _ended(edge.outcome)


def _find_new_classes(scope: Scope, paths: dict[EdgeClass, tuple[Step, ...]]) -> None:
    """Add the shortest path to each class of the scope that no path leads to yet."""
    walker, quiet_edges = Walker(scope), 0
    for state, edge, _ in walker.edges():
        quiet_edges += 1
        if edge_class(edge) not in paths:
            paths[edge_class(edge)] = walker.path_along(state, edge)
            quiet_edges = 0
        if quiet_edges > _QUIET_EDGES:
            return


def _asked(edge: Step) -> str:
    """The kind of command or happening, as finely as rules tell them apart."""
    name = type(edge.cause).__name__
    match edge.cause:
        case Intend(supersedes=str()):
            return f"{name} superseding"
        case Publish(qualified=False):
            return f"{name} unqualified"
        case Reconcile():
            return f"{name} {edge.cause.evidence}{_amount(edge, edge.cause)}"
        case RecordAnswer():
            return f"{name}{_amount(edge, edge.cause)}"
        case Succeed() | Fail() | Recover():
            return f"{name}{_at_stake(edge.old)}"
        case Wait() | Deliver():
            return f"{name} {edge.cause.kind}"
        case Decide():
            return f"{name} {'approved' if edge.cause.approved else 'denied'}"
        case Mark():
            return f"{name} {edge.cause.branch}"
        case Drifted():
            return f"{name} {edge.cause.what}"
        case Continue():
            return f"{name}{_handed_over(edge.new)}"
        case _:
            return name


def _stood(run: RunView | None) -> str:
    if run is None:
        return "absent"
    if run.lease_left_seconds == 0:
        return f"{run.state.value}, lapsed"
    accepted = any(wait.state is WaitState.ACCEPTED for wait in run.waits)
    return f"{run.state.value}, accepted" if run.state in WAITS and accepted else run.state.value


def _by_whom(edge: Step) -> str:
    """Whether the session is one that may ask this."""
    if edge.session is None or not isinstance(edge.cause, Command):
        return ""
    if edge.session.role is not edge.cause.entry_point:
        return " at the wrong door"
    return " by a stranger" if edge.session.tenant != TENANT else " by another principal"


def _amount(edge: Step, cause: RecordAnswer | Reconcile) -> str:
    call = edge.old.call(cause.call) if edge.old else None
    if cause.cost_cents is None or call is None:
        return " without amount"
    return " above its ceiling" if cause.cost_cents > call.ceiling_cents else " within its ceiling"


def _handed_over(run: RunView | None) -> str:
    """What a continuation was given: how its materials are labelled, and calls that are unresolved."""
    labels = sorted({view.label.value for view in run.inherited}) if run else []
    return "".join(f" {what}" for what in (*labels, *(["open calls"] if run and run.open_calls else [])))


def _at_stake(run: RunView | None) -> str:
    """What an end, or a refusal to end, must leave as it is."""
    body = " with a body" if run and run.publications else ""
    return body + (" with a call" if run and run.calls else "")


def _ended(outcome: Outcome | None) -> str:
    match outcome:
        case Done():
            return "done"
        case Refused():
            return outcome.reason.value
        case _:
            return "happened"


def _walk(path: tuple[Step, ...]) -> Walk:
    causes: list[Cause | Asking] = []
    for number, edge in enumerate(path, 1):
        if edge.repeats is not None:
            causes.append(causes[-1])
        elif isinstance(edge.cause, Command):
            command = replace(edge.cause, command_id=CommandId(str(number)))
            causes.append(command if edge.session is None else Asking(edge.session, command))
        else:
            causes.append(edge.cause)
    return tuple(causes)
