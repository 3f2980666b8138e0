"""An engine's own statements: the commit that records what was answered, found without knowing the engine.

A worker that has nothing to do asks for work again and again. What it says then is idle; the first commit of anything
else after an answer has come is where the answer is recorded.
"""

import textwrap
import time
from dataclasses import dataclass, field

from keepfact.conformance.field import OVER

from ..pgwire import Delivered, Kind, Seam, Side
from ..waiting import wait_until
from ..world.gates import GateKind
from ..world.ledger import Endpoint
from .facts import Facts
from .trial import Deed, Trial

IDLE_SECONDS = 1.5
"""How long it is listened to what a worker says that has nothing to do."""

AHEAD_SECONDS = 2.0
"""How long it is watched whether a worker goes on while its write is held."""

TOLD_CHARACTERS = 160
"""How much of a statement is told."""

STEPS = {
    "plan": (Endpoint.MODEL, 1),
    "pay": (Endpoint.TOOL, 1),
    "transfer": (Endpoint.TOOL, 2),
    "words": (Endpoint.MODEL, 2),
}
"""The requests of the program, by what they are for."""

_COMMITS = frozenset({Kind.COMMIT, Kind.AUTOCOMMIT})
_FRAMES = ("begin", "commit", "end", "rollback", "start transaction")


@dataclass
class CommitOf:
    """Fits the first commit, on one side, of a transaction whose last statement is not an idle one.

    `commits` is that statement, once one fits.
    """

    side: Side
    idle: frozenset[str]
    commits: str = ""
    _last: dict[int, str] = field(default_factory=dict)

    def __call__(self, seam: Seam) -> bool:
        subject = self._subject(seam)
        fits = seam.side is self.side and seam.kind in _COMMITS and subject not in self.idle
        self.commits = self.commits or (subject if fits else "")
        return fits

    def _subject(self, seam: Seam) -> str:
        """The statement itself, or for a bare COMMIT what was said in that session before."""
        if not seam.statement.lower().startswith(_FRAMES):
            self._last[seam.client.number] = seam.statement
        return self._last.get(seam.client.number, seam.statement)


def idle_statements(trial: Trial) -> frozenset[str]:
    """What a worker says that has nothing to do; listened to once for each cell, with the worker that is there."""
    stage, cell = trial.setting.stage, trial.setting.engine.cell.name
    if cell not in stage.idle:
        watch = stage.watched.begin()
        time.sleep(IDLE_SECONDS)
        watch.end()
        stage.idle[cell] = frozenset(seam.statement for seam in watch.seams)
    return stage.idle[cell]


def killed_at_the_commit_of(step: str, side: Side) -> Deed:
    """The worker dies at the first commit after the answer of that step: before the server gets it, or after it has
    committed and before the worker hears so.
    """
    endpoint, number = STEPS[step]

    def deed(trial: Trial) -> tuple[str, Facts]:
        gate = trial.gate(endpoint, GateKind.ACT_THEN_HOLD, number)
        worker = trial.worker()
        idle = idle_statements(trial)
        trial.submit()
        trial.go_on_until(lambda standing: trial.approved_if_asked(standing) and gate.is_reached(), f"{step} is asked")
        watch = trial.setting.stage.watched.begin()
        commit = CommitOf(side, idle)
        hold = watch.hold(commit)
        if side is Side.BEFORE:  # once it is let go the server must not get it from a worker that is dead
            watch.cut(lambda seam: hold.is_delivered and seam.number == _number(hold.delivered.seam))
        try:
            gate.open()
            proof = _told(hold.wait_until_delivered(), commit)
            trial.note(proof)
            proof = f"{proof}; {trial.kill(worker)}"
        finally:
            hold.let_go()
            watch.end()
        trial.worker()
        return proof, trial.facts(trial.to_the_end())

    deed.__name__ = f"{step}: {side} its commit"
    return deed


def killed_ahead_of_its_commit(trial: Trial) -> tuple[str, Facts]:
    """The commit that records the plan is held. If the tool is asked all the same the worker dies then, else there."""
    planned = trial.gate(Endpoint.MODEL, GateKind.ACT_THEN_HOLD, 1)
    paid = trial.gate(Endpoint.TOOL, GateKind.ACT_THEN_HOLD, 1)
    worker = trial.worker()
    idle = idle_statements(trial)
    trial.submit()
    planned.wait_until_reached()
    watch = trial.setting.stage.watched.begin()
    hold = watch.hold(CommitOf(Side.BEFORE, idle))
    watch.cut(lambda seam: hold.is_delivered and seam.number == _number(hold.delivered.seam))
    try:
        planned.open()
        wait_until(lambda: hold.is_delivered or paid.is_reached(), "the plan is written down, or a tool is asked")
        trial.watch(lambda _: paid.is_reached(), AHEAD_SECONDS)
        ahead = "a tool was asked before the plan was written" if paid.is_reached() else "no tool was asked before that"
        trial.note(ahead)
        proof = f"{ahead}; {trial.kill(worker)}"
    finally:
        hold.let_go()
        watch.end()
    paid.open()
    trial.worker()
    return proof, trial.facts(trial.to_the_end())


def undisturbed(trial: Trial) -> tuple[str, Facts]:
    """Nothing is done to it: the control, in which every statement is counted."""
    watch = trial.setting.stage.watched.begin()
    trial.worker()
    trial.submit()
    last = trial.to_the_end()
    watch.end()
    return f"no fault; {len(watch.seams)} seams were counted; over: {last.state in OVER}", trial.facts(last)


def _told(held: Delivered, commit: CommitOf) -> str:
    """The proof; a bare COMMIT does not say what is committed, so that is told, too."""
    if held.seam is None or held.seam.statement == commit.commits:
        return held.proof
    return f"{held.proof}; it commits {textwrap.shorten(commit.commits, TOLD_CHARACTERS, placeholder=' …')}"


def _number(seam: Seam | None) -> int:
    return 0 if seam is None else seam.number
