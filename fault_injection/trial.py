"""One run and its worker, from admission to judgement: the worker stops at each seam, and each stop is observed."""

from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from keepfact.conformance import asking
from keepfact.conformance.evidence import EvidenceWriter
from keepfact.conformance.judge import Judge, Violation
from keepfact.conformance.recorder import Recorder
from keepfact.conformance.stopping import undisturbed
from keepfact.conformance.system import Process
from keepfact.spec.vocabulary import (
    Command,
    CommandId,
    Contract,
    Done,
    Happening,
    Outcome,
    RunId,
    RunView,
    Step,
    Submit,
    Truth,
    WorkerId,
    WorkerRan,
)

from .processes import Death, is_alive, kill_group, remove_group
from .seams import Seams
from .subject import ExperimentError, Subject
from .timeline import Timeline
from .waiting import NotReachedError, wait_until
from .world.client import SetGate, World
from .world.ledger import Endpoint

BUDGET_CENTS = 10_000
"""Enough that no dispatch of a probe is ever refused for money."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What the trials of one experiment share. It begins afresh: what was asked before is not met by what comes."""

    experiment: str
    contract: Contract
    system: Subject
    world: World
    judge: Judge
    evidence: EvidenceWriter | None
    directory: Path

    def __post_init__(self) -> None:
        asking.begin(self.system)

    @property
    def title(self) -> str:
        """The first part of the names of its runs."""
        return f"{self.experiment}-{self.contract}"


@dataclass
class Trial:
    """One run. `start` admits it and starts its worker; `take_up` is when its story begins."""

    stage: Stage
    run: RunId
    seams: list[str] = field(default_factory=list)
    gate: SetGate | None = None
    _worker: Process | None = None
    _asked: int = 0

    def __post_init__(self) -> None:
        stage = self.stage
        self.timeline = Timeline(self.run)
        self.recorder = Recorder(stage.system, stage.judge, stage.evidence, self.run, lambda: self.truth)
        self._socket = Seams(stage.directory / self.run)

    @property
    def view(self) -> RunView:
        """The run as it was last observed."""
        view = self.recorder.observation.run(self.run)
        if view is None:
            raise NotReachedError(f"expected the system to show run {self.run}, which it admitted, but it does not.")
        return view

    @property
    def truth(self) -> Truth:
        """What really happened to the run's calls so far."""
        return self.stage.world.truth(self.run)

    def start(self) -> None:
        """Admit the run and start its worker, without waiting for it."""
        admitted = self.perform(Submit(self.command_id(), self.run, self.stage.contract, BUDGET_CENTS))
        if not isinstance(admitted, Done):
            raise ExperimentError(f"expected run {self.run} to be admitted, but the system answered {admitted}.")
        outside = self.stage.world.outside(self.run)
        worker = WorkerId(f"worker-of-{self.run}")
        with undisturbed():  # a process that nobody holds would outlive us
            self._worker = self.stage.system.start_worker(self.run, worker, outside, self._socket.path)

    def take_up(self) -> None:
        """Wait for the worker to come to its seams."""
        self.timeline.begin()
        self._socket.accept(self._process)

    def next_seam(self) -> str | None:
        """The seam at which the worker now stands, observed and judged; None when it has gone."""
        seam = self._socket.next()
        if seam is not None:
            self.seams.append(seam)
            self.timeline.mark("worker", "seam", seam)
            self.happen(WorkerRan(self.run))
        return seam

    def go(self) -> None:
        """Let the worker go on."""
        self._socket.go()

    def walk_to(self, number: int, name: str) -> None:
        """Bring the worker to the seam of that number, from 1, and leave it standing there."""
        while len(self.seams) < number:
            if self.seams:
                self.go()
            if self.next_seam() is None:
                raise NotReachedError(f"expected seam {number} ({name}), but the worker ended after {self.seams}.")
        if self.has_news():
            raise NotReachedError(f"expected the worker to wait at its seam {self.seams[-1]}, but it went on.")
        if self.seams[-1] != name:
            raise NotReachedError(f"expected seam {number} to be {name}, as in rehearsal, but it is {self.seams[-1]}.")

    def finish(self) -> None:
        """Let the worker run to its end, seam by seam."""
        while self.next_seam() is not None:
            self.go()
        self.wait_for_exit()

    def wait_for_exit(self) -> int:
        """Wait until the worker, which has passed its last seam, has ended; its exit status."""
        wait_until(lambda: not is_alive(self._process), f"worker {self._process.pid} ends after its last seam")
        status = remove_group(self._process)
        self.happen(WorkerRan(self.run))
        return status

    def has_news(self) -> bool:
        """The worker has reached another seam, or has gone."""
        return self._socket.has_news()

    def has_asked(self, tool: str) -> bool:
        """A request to that tool has arrived."""
        entries = self.stage.world.entries(self.run)
        return any(entry.endpoint is Endpoint.TOOL and entry.says.endswith(f"/tools/{tool}") for entry in entries)

    def kill(self) -> Death:
        """SIGKILL the worker. Nothing is observed yet: what it had sent may still be on its way."""
        death = kill_group(self._process)
        self.timeline.mark("worker", "kill", f"SIGKILL: {death.proof}")
        return death

    def perform(self, command: Command) -> Outcome:
        """Do a command through the recorder."""
        before = self.recorder.observation.run(self.run)
        outcome = self.recorder.perform(command)
        self.timeline.mark_commits(before, self.recorder.observation.run(self.run))
        return outcome

    def happen(self, happening: Happening) -> None:
        """Have something happen without a command, or note that it did."""
        before = self.recorder.observation.run(self.run)
        self.recorder.happen(happening)
        self.timeline.mark_commits(before, self.recorder.observation.run(self.run))

    def command_id(self) -> CommandId:
        """An id that was not used before."""
        self._asked += 1
        return CommandId(f"{self.run}/{self._asked}")

    def expect(self, rule: str, holds: bool, expected: str, seen: str) -> None:
        """What only the whole story can say, and no single step: it counts against the rule it belongs to."""
        if not holds:
            observed, truth = self.recorder.observation, self.truth
            step = Step(observed, WorkerRan(self.run), None, observed, truth, truth)
            steps = (*self.recorder.steps, step)
            self.stage.judge.convict(Violation(rule, step, expected, seen, trace=self.run, steps=steps))

    def close(self) -> None:
        """Write the timeline, and leave no process and no socket."""
        if self._worker is not None:
            remove_group(self._worker)
        self._socket.close()
        self.timeline.mark_outside(self.stage.world.entries(self.run))
        if self.stage.evidence is not None:
            self.timeline.write(self.stage.evidence)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @property
    def _process(self) -> Process:
        if self._worker is None:
            raise RuntimeError("expected a worker; call start first.")
        return self._worker
