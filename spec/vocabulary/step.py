"""The one object that travels through all folders: before, cause, outcome, after."""

from dataclasses import dataclass, field

from .commands import Asked, AskedOfRun, Worked
from .happenings import Act, Cause, LookedUp, Session, WorkerRan
from .observation import EventView, Observation, RunView
from .once import once
from .outcomes import Done, Lost, Outcome
from .terms import ENDS, RunId, RunState
from .truth import NOTHING, CallTruth, Truth

OfRun = AskedOfRun | Act | WorkerRan | LookedUp
"""The causes that are about one run. Nothing else has an old and a new one."""


@dataclass(frozen=True, init=False)
class Step:
    """One edge. A happening has no caller, so its outcome is None.

    `repeats` is the outcome that the same command, under the same id, was given before; None for a first time and for
    one that was refused, which is a new question. `old` and `new` are the run that the cause is about. `session` is who
    asked, where that is known. What is found out about a step is found out once, since many rules ask for it.
    """

    before: Observation
    cause: Cause
    outcome: Outcome | None
    after: Observation
    truth_before: Truth = NOTHING
    truth: Truth = NOTHING
    repeats: Outcome | None = None
    session: Session | None = None
    old: RunView | None = field(init=False, repr=False, compare=False)
    new: RunView | None = field(init=False, repr=False, compare=False)
    changed_nothing: bool = field(init=False, repr=False, compare=False)

    def __init__(
        self,
        before: Observation,
        cause: Cause,
        outcome: Outcome | None,
        after: Observation,
        truth_before: Truth = NOTHING,
        truth: Truth = NOTHING,
        repeats: Outcome | None = None,
        session: Session | None = None,
    ) -> None:
        # Written out, since the explorer makes millions. What every rule asks for is found here, once.
        run = run_of(cause)
        self.__dict__.update(
            before=before,
            cause=cause,
            outcome=outcome,
            after=after,
            truth_before=truth_before,
            truth=truth,
            repeats=repeats,
            session=session,
            old=None if run is None else before.run(run),
            new=None if run is None else after.run(run),
            changed_nothing=before is after or before == after,
        )

    @property
    def run_id(self) -> RunId | None:
        """The run that the cause is about."""
        return run_of(self.cause)

    @once
    def is_command(self) -> bool:
        return isinstance(self.cause, Asked)

    @once
    def is_done(self) -> bool:
        return isinstance(self.outcome, Done)

    @once
    def is_lost(self) -> bool:
        return isinstance(self.outcome, Lost)

    @once
    def is_unheard(self) -> bool:
        """Its answer was lost and nothing changed: it may never have arrived, so nothing can be said of it."""
        return self.is_lost and self.changed_nothing

    @once
    def is_repeat(self) -> bool:
        """The same command, under the same id, was done before.

        After a lost answer nobody can tell; what then still changes something is taken for the first time.
        """
        return isinstance(self.repeats, Done) or (isinstance(self.repeats, Lost) and self.changed_nothing)

    @once
    def took_effect(self) -> bool:
        """The command happened in this step: done for the first time, or its answer was lost and something changed."""
        return not self.is_repeat and (self.is_done or (self.is_lost and not self.changed_nothing))

    @once
    def had_no_effect(self) -> bool:
        """Nothing changed, and nobody was told otherwise; a lost answer tells nobody anything."""
        return self.changed_nothing and not self.is_done

    @once
    def is_stale(self) -> bool:
        """A worker's command under an older fence than the highest granted."""
        return isinstance(self.cause, Worked) and self.old is not None and self.cause.fence < self.old.fence

    @once
    def is_lapsed(self) -> bool:
        """A worker's command under the current fence, after its lease ran out on the store's clock."""
        return (
            isinstance(self.cause, Worked)
            and self.old is not None
            and self.cause.fence == self.old.fence
            and self.old.lease_left_seconds == 0
        )

    @once
    def was_sealed(self) -> bool:
        """Execution was over before this step: ended, or sealed as unknown."""
        return self.old is not None and (self.old.state in ENDS or self.old.state is RunState.UNKNOWN)

    @once
    def changed_runs(self) -> tuple[tuple[RunView | None, RunView], ...]:
        """Each run that is new or changed: as it was, and as it is."""
        if self.changed_nothing:
            return ()
        pairs = ((self.before.run(run.run), run) for run in self.after.runs)
        return tuple((old, new) for old, new in pairs if new is not old and new != old)

    @once
    def heard(self) -> tuple[CallTruth, ...]:
        """What became of calls outside in this step."""
        if self.truth is self.truth_before:
            return ()
        return tuple(call for call in self.truth.calls if call not in self.truth_before.calls)

    @once
    def new_events(self) -> tuple[EventView, ...]:
        """The events that this step appended to the run's history."""
        if self.new is None or self.new is self.old:
            return ()
        return self.new.history[len(self.old.history) if self.old else 0 :]


def run_of(cause: Cause) -> RunId | None:
    """The run that a cause is about, if it is about one."""
    return cause.run if isinstance(cause, OfRun) else None
