"""A worker's time with one run: from its grant until the run ends, waits, is handed back or is taken away.

Every decision of the run's program is carried out by one durable write before whatever it does outside, and one after.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from .calling import Calling
from .consequences import Consequences
from .decider import Folding
from .insisting import RefusedError, StoppedError, read
from .prepared import Value
from .programs.decisions import AskModel, Decision, Fail, Progress, Succeed, UseTool, WaitFor
from .release import Program
from .writing import Writing

log = logging.getLogger("keepfact.worker")

EVENTS_AT_ONCE = 1_000
IT_IS_OVER = frozenset({"stale_fence", "sealed", "not_running", "lease_lapsed", "cancelling"})
"""Reasons after which the program has no say in the run any more."""

SEAMS = {
    "publish": ("publishing", "published"),
    "save_material": ("saving material", "saved material"),
    "read_material": ("reading material", "read material"),
    "spawn": ("spawning", "spawned"),
    "mark": ("marking branch", "marked branch"),
    "wait": ("waiting", "waited"),
    "succeed": ("succeeding", "succeeded"),
    "fail": ("failing", "failed"),
}
"""The seams before and after each command that a decision leads to, if it is none about a call."""


@dataclass
class Stint:
    """One grant of one run. `is_draining` is asked before every new step."""

    writing: Writing
    calling: Calling
    consequences: Consequences
    program: Program
    is_draining: Callable[[], bool]
    folding: Folding = field(default_factory=Folding)
    read_up_to: int = 0

    def work(self) -> None:
        """Carry out what the program decides. Raises StoppedError when the run was taken away."""
        self.calling.look_up()
        while True:
            self.writing.lease.begin_step()
            progress = self._progress()
            if progress.is_cancelled:
                return self._wind_up(progress)
            try:
                if self._take_step(progress):
                    return None
            except RefusedError as refusal:
                if refusal.reason != "cancelling":
                    raise  # otherwise the history says so, next time it is read

    def _progress(self) -> Progress:
        """How far the run has come, by the events that are new since the last look."""
        is_over = False
        while not is_over:
            page = read(
                lambda: self.writing.store.read_events(self._run, self.read_up_to, EVENTS_AT_ONCE),
                lambda: self.writing.lease.is_live,
            )
            if page is None:
                raise StoppedError(f"there is no run {self._run}")
            for event in page["events"]:
                self.folding.take(event)
                self.read_up_to = event["number"]
            is_over = self.read_up_to >= page["last"]
        return self.folding.progress

    def _wind_up(self, progress: Progress) -> None:
        """Asked to stop: what is in flight is over for us, and unknown."""
        for call, fact in progress.calls.items():
            if fact.state == "open":
                self._write(
                    "mark_unknown", "marking call unknown", "marked call unknown", call=self.consequences.id_of(call)
                )
        self._write("stop", "stopping", "stopped")

    def _take_step(self, progress: Progress) -> bool:
        """Whether the run is out of our hands then. One that is ours, but whose program cannot go on, fails."""
        if self.is_draining():
            self._write("release", "releasing", "released")
            return True
        try:
            return self._carry_out(self.program(progress), progress)
        except RefusedError as refusal:
            if refusal.reason in IT_IS_OVER:
                raise
            reason = str(refusal)  # over budget, or not to be stored
        except StoppedError:
            raise
        except Exception as error:  # of the program, or of what it wants to be carried out
            log.exception("the program of %s is wrong", self._run)
            reason = f"{type(error).__name__}: {error}"
        return self._carry_out(Fail(reason), progress)

    def _carry_out(self, decision: Decision, progress: Progress) -> bool:
        """Carry out one decision; whether the run is out of our hands then."""
        match decision:
            case AskModel():
                self.calling.ask_model(decision, progress)
                return False
            case UseTool():
                return self.calling.use_tool(decision, progress)
            case Fail(reason):
                log.warning("%s fails: %s", self._run, reason)
        write = self.consequences.of(decision)
        before, after = SEAMS[write.command]
        self._write(write.command, before, after, **write.fields)
        return isinstance(decision, WaitFor | Succeed | Fail)

    def _write(self, command: str, before: str, after: str, **fields: Value) -> None:
        self.writing.write(command, before, after, **fields)

    @property
    def _run(self) -> str:
        return self.writing.lease.grant.run
