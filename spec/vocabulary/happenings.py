"""What happens without a command: time passes, the outside acts, a worker process works on its own."""

from dataclasses import dataclass

from .commands import Command
from .terms import CallId, Drift, EntryPoint, RunId, TenantId


@dataclass(frozen=True, slots=True)
class Tick:
    """The store's clock moves on."""

    seconds: int


@dataclass(frozen=True, slots=True)
class Act:
    """The request of an intended call reaches the outside and takes effect there, at a cost nobody here knows yet.

    Arriving once more at a tool that recognises its id, it takes no second effect.
    """

    run: RunId
    call: CallId
    cost_cents: int


@dataclass(frozen=True, slots=True)
class Drifted:
    """Something that approvals are bound to is not any more what it was."""

    what: Drift


@dataclass(frozen=True, slots=True)
class Restarted:
    """The system's processes stop and start again; what was only in memory is gone."""


@dataclass(frozen=True, slots=True)
class ToolReleased:
    """The tool's owner rolls out a new release of it."""


@dataclass(frozen=True, slots=True)
class WorkerRan:
    """A worker process worked on a run by itself between two observations, by any commands of one entry point: that of
    work, or that of recovery or of wakes, where it has itself be granted the run.
    """

    run: RunId
    door: EntryPoint = EntryPoint.WORK


@dataclass(frozen=True, slots=True)
class LookedUp:
    """The system reconciled a run by itself: it asked the tool about unresolved operations and recorded the answers."""

    run: RunId


Happening = Tick | Act | Drifted | Restarted | ToolReleased | WorkerRan | LookedUp
Cause = Command | Happening
"""What can stand between two observations."""


@dataclass(frozen=True, slots=True)
class Session:
    """Who is asking, as authenticated: a principal of a tenant, at one door."""

    tenant: TenantId
    principal: str
    role: EntryPoint


@dataclass(frozen=True, slots=True)
class Asking:
    """A command asked in a session that is not the usual one, which is that of the command's own door and tenant."""

    session: Session
    command: Command
