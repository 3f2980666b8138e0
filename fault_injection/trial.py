"""One run and its worker, from admission to judgement: the worker stops at each seam, and each stop is observed."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Self

from keepfact.conformance import asking
from keepfact.conformance.abilities import DatabaseAddress, Process, Rollout
from keepfact.conformance.evidence import EvidenceWriter
from keepfact.conformance.judge import Judge, Violation
from keepfact.conformance.recorder import Recorder
from keepfact.conformance.stopping import undisturbed
from keepfact.spec.vocabulary import (
    Command,
    CommandId,
    Contract,
    Done,
    EntryPoint,
    Happening,
    LookedUp,
    Observe,
    Outcome,
    RunId,
    RunView,
    Step,
    Submit,
    Truth,
    WorkerId,
    WorkerRan,
)

from .processes import Death, continue_group, stop_group
from .seams import Seams
from .subject import ExperimentError, Subject
from .timeline import Timeline
from .waiting import NotReachedError
from .wal import Watch
from .worker import Worker
from .world.client import SetGate, World

BUDGET_CENTS = 10_000
"""Enough that no dispatch of a probe is ever refused for money."""

_SOCKETS = count(1)
"""A socket's path may have little more than a hundred characters, so the name of its worker is not in it."""

SEAMS_MAX = 300
"""More than a worker of the probe ever comes to."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What the trials of one experiment share. It begins afresh: what was asked before is not met by what comes.

    `watch` is kept over the system's write-ahead log, where it can be read.
    """

    experiment: str
    contract: Contract
    system: Subject
    servers: World | None
    judge: Judge
    evidence: EvidenceWriter | None
    directory: Path
    watch: Watch | None = None

    def __post_init__(self) -> None:
        self.begin()

    @property
    def world(self) -> World:
        """The servers outside. An experiment without workers has none."""
        if self.servers is None:
            raise RuntimeError("expected a world outside; an experiment without workers has none.")
        return self.servers

    def begin(self) -> None:
        """Begin afresh. No run that is still under way must be there."""
        asking.begin(self.system)

    @property
    def title(self) -> str:
        """The first part of the names of its runs."""
        return f"{self.experiment}-{self.contract}"


@dataclass
class Trial:
    """One run. `start` admits it and starts its first worker; `take_up` is when its story begins.

    Workers reach their database at `database`, where that is given. What is said of the worker is about the one that
    was started last, or that was last `turn_to`.
    """

    stage: Stage
    run: RunId
    gate: SetGate | None = None
    database: DatabaseAddress | None = None
    workers: list[Worker] = field(default_factory=list)
    shown: list[RunId] = field(default_factory=list)
    _current: Worker | None = None
    _asked: int = 0

    def __post_init__(self) -> None:
        stage = self.stage
        self.timeline = Timeline(self.run)
        self.recorder = Recorder(stage.system, stage.judge, stage.evidence, self.run, lambda: self.truth)

    @property
    def view(self) -> RunView:
        """The run as it was last observed."""
        view = self.recorder.observation.run(self.run)
        if view is None:
            raise NotReachedError(f"expected the system to show run {self.run}, which it admitted, but it does not.")
        return view

    @property
    def truth(self) -> Truth:
        """What really happened so far to the calls of the run, and of those that are shown with it."""
        truths = [self.stage.world.truth(run) for run in (self.run, *self.shown)]
        return Truth(tuple(call for truth in truths for call in truth.calls))

    @property
    def worker(self) -> Worker:
        """The one that is spoken of."""
        if self._current is None:
            raise RuntimeError("expected a worker; call start first.")
        return self._current

    @property
    def seams(self) -> list[str]:
        """The seams that the worker has reached so far."""
        return self.worker.seams

    def start(self, rollout: Rollout = Rollout.FIRST, budget_cents: int = BUDGET_CENTS) -> None:
        """Admit the run and start its worker, of that release, without waiting for it."""
        admitted = self.perform(Submit(self.command_id(), self.run, self.stage.contract, budget_cents))
        if not isinstance(admitted, Done):
            raise ExperimentError(f"expected run {self.run} to be admitted, but the system answered {admitted}.")
        self.hire(rollout)

    def hire(self, rollout: Rollout = Rollout.FIRST) -> Worker:
        """Start another worker, of that release, without waiting for it."""
        name = self.next_name
        further = [] if rollout is Rollout.FIRST else [rollout]
        return self.employ(name, partial(self.stage.system.start_worker, self.run, name), *further)

    @property
    def next_name(self) -> WorkerId:
        """What the worker will be called that is hired next."""
        return WorkerId(f"worker-{len(self.workers) + 1}-of-{self.run}")

    def employ(self, name: WorkerId, start: Callable[..., Process], *further: object) -> Worker:
        """Start a process as `start` does, which is given the outside, its seams and what `further` is said."""
        socket = Seams(self.stage.directory / f"{next(_SOCKETS)}")
        outside = replace(self.stage.world.outside(self.run), database=self.database)
        with undisturbed():  # a process that nobody holds would outlive us
            process = start(outside, socket.path, *further)
            self._current = Worker(name, process, socket)
            self.workers.append(self._current)
        return self._current

    def turn_to(self, worker: Worker) -> None:
        """Speak of that worker from here on."""
        self._current = worker

    def take_up(self) -> None:
        """Wait for the first worker to come to its seams."""
        self.timeline.begin()
        self.worker.accept()

    def next_seam(self) -> str | None:
        """The seam at which the worker now stands, observed and judged; None when it has gone."""
        door = self.worker.door
        seam = self.worker.next_seam()
        if seam is not None:
            self.timeline.mark("worker", "seam", seam if len(self.workers) == 1 else f"{self.worker.name}: {seam}")
            self.observe_work(door)
        return seam

    def observe_work(self, door: EntryPoint = EntryPoint.WORK) -> None:
        """See what the worker has done by itself, through that door."""
        self.happen(LookedUp(self.run) if door is EntryPoint.RECONCILE else WorkerRan(self.run, door))

    def go(self) -> None:
        """Let the worker go on."""
        self.worker.go()

    def walk_to(self, number: int, name: str) -> None:
        """Bring the worker to the seam of that number, from 1, and leave it standing there."""
        while len(self.seams) < number:
            if self.seams:
                self.go()
            if self.next_seam() is None:
                raise NotReachedError(f"expected seam {number} ({name}), but the worker ended after {self.seams}.")
        self.worker.stand_at(number, name)

    def finish(self) -> int:
        """Let the worker run to its end, seam by seam; its exit status. Raises NotReachedError if it never ends."""
        while self.next_seam() is not None:
            if len(self.seams) > SEAMS_MAX:
                raise NotReachedError(f"expected the worker to end, but it was at {SEAMS_MAX} seams and goes on.")
            self.go()
        return self.wait_for_exit()

    def wait_for_exit(self) -> int:
        """Wait until the worker, which has passed its last seam, has ended; its exit status."""
        door = self.worker.door
        status = self.worker.wait_for_exit()
        self.observe_work(door)
        return status

    def has_news(self) -> bool:
        """The worker has reached another seam, or has gone."""
        return self.worker.socket.has_news()

    def kill(self) -> Death:
        """SIGKILL the worker. Nothing is observed yet: what it had sent may still be on its way."""
        death = self.worker.kill()
        self.timeline.mark("worker", "kill", f"SIGKILL: {death.proof}")
        return death

    def freeze(self) -> str:
        """SIGSTOP the worker; the proof."""
        proof = stop_group(self.worker.process)
        self.timeline.mark("worker", "kill", f"SIGSTOP: {proof}")
        return proof

    def thaw(self) -> str:
        """SIGCONT the worker; the proof that it was stopped until now."""
        proof = continue_group(self.worker.process)
        self.timeline.mark("worker", "recovery", f"SIGCONT: {proof}")
        return proof

    def perform(self, command: Command) -> Outcome:
        """Do a command through the recorder."""
        before = self.recorder.observation.run(self.run)
        outcome = self.recorder.perform(command)
        self.timeline.mark_commits(before, self.recorder.observation.run(self.run))
        return outcome

    def hear(self, command: Command, outcome: Outcome) -> None:
        """Note a command that was asked past us, and what was answered."""
        self.recorder.hear(command, outcome)

    def happen(self, happening: Happening) -> None:
        """Have something happen without a command, or note that it did."""
        before = self.recorder.observation.run(self.run)
        self.recorder.happen(happening)
        self.timeline.mark_commits(before, self.recorder.observation.run(self.run))

    def also_show(self, run: RunId) -> None:
        """Observe another run too, which is there already."""
        self.shown.append(run)
        self.recorder.also_show([Observe(self.command_id(), run)])

    def command_id(self) -> CommandId:
        """An id that was not used before."""
        self._asked += 1
        return CommandId(f"{self.run}/{self._asked}")

    def expect(self, rule: str, holds: bool, expected: str, seen: str) -> None:
        """What only the whole story can say, and no single step: it counts for or against the rule it belongs to."""
        broken = None
        if not holds:
            observed, truth = self.recorder.observation, self.truth
            step = Step(observed, WorkerRan(self.run), None, observed, truth, truth)
            broken = Violation(rule, step, expected, seen, trace=self.run, steps=(*self.recorder.steps, step))
        self.stage.judge.weigh(rule, self.run, expected, seen, self.stage.evidence, broken)

    def close(self) -> None:
        """Write the timeline, and leave no process and no socket."""
        for worker in self.workers:
            worker.close()
        self.timeline.mark_outside(self.stage.world.entries(self.run))
        if self.stage.evidence is not None:
            self.timeline.write(self.stage.evidence)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
