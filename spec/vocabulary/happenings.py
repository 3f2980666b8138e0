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


Happening = Tick | Act | WorkerRan
Cause = Command | Happening
"""What can stand between two observations."""
