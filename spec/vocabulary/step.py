"""The one object that travels through all folders: before, cause, outcome, after."""

from dataclasses import dataclass
from functools import cached_property

from .commands import Asked, AskedOfRun, Submit, Worked
from .happenings import Act, Cause, WorkerRan
from .observation import EventView, Observation, RunView
from .outcomes import Done, Outcome, Refused
from .terms import ENDS, RunId, RunState
from .truth import NOTHING, Truth


@dataclass(frozen=True)
class Step:
    """One edge. A happening has no caller, so its outcome is None. `repeats` marks a command id already answered."""

    before: Observation
    cause: Cause
    outcome: Outcome | None
    after: Observation
    truth_before: Truth = NOTHING
    truth: Truth = NOTHING
    repeats: Outcome | None = None

    @cached_property
    def run_id(self) -> RunId | None:
        """The run that the cause is about."""
        return self.cause.run if isinstance(self.cause, AskedOfRun | Act | WorkerRan) else None

    @cached_property
    def old(self) -> RunView | None:
        """The run before."""
        return None if self.run_id is None else self.before.run(self.run_id)

    @cached_property
    def new(self) -> RunView | None:
        """The run after."""
        return None if self.run_id is None else self.after.run(self.run_id)

    @cached_property
    def is_command(self) -> bool:
        return isinstance(self.cause, Asked)

    @cached_property
    def is_done(self) -> bool:
        return isinstance(self.outcome, Done)

    @cached_property
    def is_refused(self) -> bool:
        return isinstance(self.outcome, Refused)

    @cached_property
    def is_repeat(self) -> bool:
        """The same command, under the same id, was already answered."""
        return self.repeats is not None

    @cached_property
    def changed_nothing(self) -> bool:
        return self.before == self.after

    @cached_property
    def is_stale(self) -> bool:
        """A worker's command under an older fence than the highest granted."""
        return isinstance(self.cause, Worked) and self.old is not None and self.cause.fence < self.old.fence

    @cached_property
    def is_lapsed(self) -> bool:
        """A worker's command under the current fence, after its lease ran out on the store's clock."""
        return (
            isinstance(self.cause, Worked)
            and self.old is not None
            and self.cause.fence == self.old.fence
            and self.old.lease_left_seconds == 0
        )

    @cached_property
    def was_sealed(self) -> bool:
        """Execution was over before this step: ended, or sealed as unknown."""
        return self.old is not None and (self.old.state in ENDS or self.old.state is RunState.UNKNOWN)

    @cached_property
    def admits(self) -> bool:
        return isinstance(self.cause, Submit) and self.is_done and self.old is None

    @cached_property
    def new_events(self) -> tuple[EventView, ...]:
        """The events that this step appended to the run's history."""
        if self.new is None:
            return ()
        return self.new.history[len(self.old.history) if self.old else 0 :]
