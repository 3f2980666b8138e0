"""What happens without a command: time passes, the outside acts, a worker process works on its own."""

from dataclasses import dataclass

from .commands import Command
from .terms import CallId, RunId


@dataclass(frozen=True, slots=True)
class Tick:
    """The store's clock moves on."""

    seconds: int


@dataclass(frozen=True, slots=True)
class Act:
    """The request of an intended call reaches the outside and takes effect there, at a cost nobody here knows yet."""

    run: RunId
    call: CallId
    cost_cents: int


@dataclass(frozen=True, slots=True)
class WorkerRan:
    """A worker process worked on a run by itself between two observations, by any commands of its entry point."""

    run: RunId


@dataclass(frozen=True, slots=True)
class LookedUp:
    """The system reconciled a run by itself: it asked the tool about unresolved operations and recorded the answers."""

    run: RunId


Happening = Tick | Act | WorkerRan | LookedUp
Cause = Command | Happening
"""What can stand between two observations."""
