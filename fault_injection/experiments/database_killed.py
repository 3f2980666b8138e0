"""The worker loses its database: connections are reset, commits are lost, the server dies and comes back."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from keepfact.conformance.abilities import KeepsInPostgres, KillsItsDatabase, RunsWorkers
from keepfact.spec.vocabulary import CallKind, Contract, RunState

from .. import aftermath, expectations
from ..experiment import Experiment
from ..pgwire import Kind, Proxy, Seam
from ..pgwire import Side as SeamSide
from ..rehearsal import Rehearsal
from ..strikes import Sample, Strike, at_every_seam, before_every_write, in_order, on_sides
from ..subject import Progress
from ..sweep import Sweep
from ..tally import Tally
from ..trial import Stage, Trial
from ..waiting import NotReachedError, wait_until
from ..ways import Ways


class Side(StrEnum):
    """What becomes of the database."""

    CUT = "all connections of the worker are reset"
    COMMIT_LOST = "a commit never arrives, and its connection is reset"
    ANSWER_LOST = "a commit is done, and its answer is lost with the connection"
    KILLED = "the server dies by SIGKILL, and starts again"
    KILLED_BEFORE = "the server dies by SIGKILL before a commit arrives, and starts again"
    KILLED_AFTER = "the server dies by SIGKILL after a commit, before its answer arrives, and starts again"


KILLS = (Side.KILLED, Side.KILLED_BEFORE, Side.KILLED_AFTER)
"""Where there is only somebody else's server these are left out."""

COMMITS = (Kind.COMMIT, Kind.AUTOCOMMIT)


def plan(rehearsal: Rehearsal) -> tuple[Strike, ...]:
    """At every seam, and around every commit that follows one."""
    return in_order(
        *at_every_seam(rehearsal, Side.CUT, Side.KILLED),
        *(
            strike
            for side in (Side.COMMIT_LOST, Side.ANSWER_LOST, Side.KILLED_BEFORE, Side.KILLED_AFTER)
            for strike in before_every_write(rehearsal, side)
        ),
    )


def course(
    stage: Stage, progress: Progress, *, deliver: bool, sample: Sample | None, sides: tuple[Side, ...] = tuple(Side)
) -> Tally:
    """Every worker reaches its database through a proxy of its own. With fewer `sides` less is shown."""
    with Ways(stage.system) as ways:
        mortal = ways.system if isinstance(ways.system, KillsItsDatabase) and ways.system.is_database_its_own else None
        possible = tuple(side for side in sides if mortal is not None or side not in KILLS)
        scene = _Scene(ways, mortal)
        swept = Sweep(possible, on_sides(plan, possible), scene.deliver, look_after, start=scene.start)
        tally = swept(stage, progress, deliver=deliver, sample=sample)
    left_out = tuple(f"{side}: the server is not the system's own" for side in sides if side not in possible)
    return replace(tally, not_applicable=left_out)


@dataclass(frozen=True, slots=True)
class _Scene:
    """The way of each worker to its database, and the database itself, if it may be killed."""

    ways: Ways
    mortal: KillsItsDatabase | None

    def start(self, _: Rehearsal, trial: Trial, __: Strike) -> None:
        self.ways.start(trial)

    def deliver(self, trial: Trial, strike: Strike) -> str:
        """Bring the worker to its seam, and take its database away there, or on its way to the next."""
        side, way = Side(strike.side), self.ways.of(trial)
        if side in KILLS and trial.stage.watch is not None:
            trial.stage.watch.news()  # not later: to read the log writes everything down that was committed before
        trial.walk_to(strike.number, strike.seam)
        match side:
            case Side.CUT:
                proof = _cut_all(way)
                trial.timeline.mark("database", "kill", proof)
                trial.go()
            case Side.KILLED:
                proof = self._kill(trial)
                trial.go()
                self._start(trial)
            case Side.COMMIT_LOST | Side.ANSWER_LOST:
                cut = way.begin().cut(_is_commit(SeamSide.BEFORE if side is Side.COMMIT_LOST else SeamSide.AFTER))
                trial.go()
                _wait_for(trial, lambda: cut.is_delivered)
                proof = cut.delivered.proof
                trial.timeline.mark("database", "kill", proof)
            case Side.KILLED_BEFORE | Side.KILLED_AFTER:
                hold = way.begin().hold(_is_commit(SeamSide.BEFORE if side is Side.KILLED_BEFORE else SeamSide.AFTER))
                trial.go()
                _wait_for(trial, lambda: hold.is_delivered)
                proof = f"{hold.delivered.proof}; {self._kill(trial)}"
                hold.let_go()
                self._start(trial)
        return proof

    def _kill(self, trial: Trial) -> str:
        assert self.mortal is not None  # else nobody planned it
        proof = self.mortal.kill_database()
        trial.timeline.mark("database", "kill", proof)
        return proof

    def _start(self, trial: Trial) -> None:
        """The worker is let in again only once the witness is back, so that nothing is written unseen."""
        assert self.mortal is not None
        with self.ways.of(trial).refuse():
            self.mortal.start_database()
            if trial.stage.watch is not None:
                trial.stage.watch.renew()
        trial.timeline.mark("database", "recovery", "started again on what was left")


def look_after(rehearsal: Rehearsal, trial: Trial, _: Strike) -> None:
    """The worker comes back by itself, finds out what became of its commit, and ends the run as if nothing had been."""
    fence = trial.view.fence
    trial.finish()
    trial.expect(
        "SETTLE.1",
        trial.view.state is RunState.SUCCEEDED and trial.view.fence == max(fence, 1),
        "the worker comes back by itself and ends its run, under the same grant",
        f"{trial.view.state} under fence {trial.view.fence}",
    )
    sent, rehearsed = (expectations.requests_of(truth, *CallKind) for truth in (trial.truth, rehearsal.truth))
    trial.expect(
        "ENTRY.6",
        sent == rehearsed,
        f"what was committed once is not done again: {rehearsed} requests, as in an undisturbed run",
        f"{sent} requests",
    )
    aftermath.let_the_lease_lapse(trial)
    expectations.answers_are_recorded_once_or_held(trial)
    expectations.tools_acted_no_more_than_in_rehearsal(trial, rehearsal.truth)
    expectations.the_run_came_to_its_end(trial)


def _cut_all(way: Proxy) -> str:
    cut = way.cut()
    if not cut:
        raise NotReachedError("expected the worker to have a connection open at its seam, but it has none.")
    return f"{len(cut)} connections were reset: {', '.join(map(str, cut))}"


def _is_commit(side: SeamSide) -> Callable[[Seam], bool]:
    return lambda seam: seam.side is side and seam.kind in COMMITS


def _wait_for(trial: Trial, happened: Callable[[], bool]) -> None:
    wait_until(lambda: happened() or trial.has_news(), "the worker commits something, or goes on")
    if not happened():
        raise NotReachedError(f"expected a commit after the seam {trial.seams[-1]}, but the worker went on without.")


EXPERIMENT = Experiment(
    name="database_killed",
    fault="The worker's connections to its database are reset, a commit or its answer is lost on the way, or the "
    "server dies by SIGKILL and starts again: at every seam, and around every commit. The worker lives on.",
    rules=("ENTRY.6", "HISTORY.1", "EFFECT.4", "EFFECT.9", "COST.2", "SETTLE.1"),
    not_shown=(
        "The server died, and not its host: what a power cut does, to a disk that lies or not, was not tried.",
        "A server that another takes the place of, with some commits less, was not tried.",
        "What a run had written before its server was killed is not in what the write-ahead log shows of it.",
    ),
    course=course,
    contracts=(Contract.SETTLE, Contract.RESUME),
    abilities=(RunsWorkers, KeepsInPostgres),
)
