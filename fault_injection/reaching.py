"""Bringing a worker to where a fault is to fall: a request of it stands outside, or a write of it in the database."""

from collections.abc import Iterator
from contextlib import contextmanager

from keepfact.spec.vocabulary import CallKind

from .trial import Trial
from .waiting import NotReachedError, wait_until
from .world.gates import GateKind
from .world.ledger import ENDPOINTS, Endpoint


def send_into(trial: Trial, kind: CallKind, gate: GateKind, tool: str | None = None) -> None:
    """Let the worker go on until its next request of that kind has come to a gate, which is the trial's from then on.

    Raises NotReachedError, also if the request is for another tool than the one that is named.
    """
    trial.gate = trial.stage.world.set_gate(ENDPOINTS[kind], gate, run=trial.run)
    trial.go()
    trial.gate.wait_until_reached()
    if tool is not None and not _has_asked(trial, tool):
        raise NotReachedError(f"expected the worker to call {tool}, as the model told it, but it did not.")


def walk_into(trial: Trial, kind: CallKind, gate: GateKind) -> None:
    """Let the worker go on past whatever seams, until its first request of that kind has come to a gate, which is the
    trial's from then on. Raises NotReachedError.
    """
    trial.gate = reached = trial.stage.world.set_gate(ENDPOINTS[kind], gate, run=trial.run)
    while trial.next_seam() is not None:
        trial.go()
        wait_until(lambda: trial.has_news() or reached.is_reached(), "the worker comes to its next seam, or to a gate")
        if reached.is_reached():
            return
    raise NotReachedError(f"expected a request to be sent ({kind}), but the worker ended after {trial.seams}.")


@contextmanager
def held_write(trial: Trial) -> Iterator[None]:
    """Let the worker go on until its next write waits in the database, and at the end the write until it is settled.

    Raises NotReachedError if the worker goes on without a write.
    """
    with trial.stage.system.hold_writes(trial.run) as held:
        trial.go()
        wait_until(lambda: held.is_waited_for() or trial.has_news(), "the write after the seam waits in the database")
        if not held.is_waited_for():
            raise NotReachedError(f"expected a write after the seam {trial.seams[-1]}, but the worker went on without.")
        yield
        held.let_go()
        wait_until(held.is_settled, "the write that waited is committed or rolled back")


def _has_asked(trial: Trial, tool: str) -> bool:
    entries = trial.stage.world.entries(trial.run)
    return any(entry.endpoint is Endpoint.TOOL and entry.says.endswith(f"/tools/{tool}") for entry in entries)
