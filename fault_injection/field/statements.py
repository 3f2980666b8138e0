"""An engine's own statements: the commit that records what was answered, found without knowing the engine.

A worker that has nothing to do asks for work again and again. What it says then is idle, and so is whatever is said
of a table whose rows it changes then, as a leader's. The first commit of anything else after an answer has come is
taken for the one that records it; whether it is, the engine's own record says. If not, its statement is background from
then on, and the trial is made anew.
"""

import re
import textwrap
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from keepfact.conformance.field import OVER, Standing

from ..pgwire import Delivered, Kind, Seam, Side
from ..waiting import NotReachedError, wait_until
from ..world.gates import GateKind
from ..world.ledger import Endpoint
from .facts import Facts
from .trial import Deed, Trial

IDLE_SECONDS = 1.5
"""How long it is listened to what a worker says that has nothing to do."""

AHEAD_SECONDS = 2.0
"""How long it is watched whether a worker goes on while its write is held."""

RECORDED_CENTS = {"plan": 3, "pay": 14, "transfer": 27, "words": 29}
"""What the record of a run comes to, at least, once it has the answer of that step."""

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
_WRITES = re.compile(r"\s*(?:insert\s+into|update(?:\s+only)?|delete\s+from|merge\s+into)\s+([\w.\"$]+)", re.IGNORECASE)
_CHANGED = re.compile(r"\b(?:INSERT 0|UPDATE|DELETE|MERGE) [1-9]")


class AnotherCommitError(NotReachedError):
    """What was struck is not the commit that records the answer."""


@dataclass
class CommitOf:
    """Fits the first commit, on one side, of a transaction in which something else than idle statements was said.

    `commits` is the last such statement, once one fits: an engine may end its step with what it says all the time.
    """

    side: Side
    idle: frozenset[str]
    commits: str = ""
    _said: dict[int, str] = field(default_factory=dict)

    def __call__(self, seam: Seam) -> bool:
        subject = self._subject(seam)
        fits = seam.side is self.side and seam.kind in _COMMITS and bool(subject)
        self.commits = self.commits or (subject if fits else "")
        return fits

    def is_like(self, proven: Collection[str]) -> bool:
        """It commits what was seen to record such an answer; true as long as none was seen."""
        return not proven or self.commits in proven or _table(self.commits) in {_table(one) for one in proven} - {""}

    def _subject(self, seam: Seam) -> str:
        """The statement itself, or for a bare COMMIT what was said in that transaction before; empty if it is idle."""
        session, is_frame = seam.client.number, seam.statement.lower().startswith(_FRAMES)
        if (is_frame and seam.kind not in _COMMITS) or seam.kind is Kind.AUTOCOMMIT:
            self._said[session] = ""  # another transaction begins
        if not is_frame and not {seam.statement, _table(seam.statement)} & self.idle:
            self._said[session] = seam.statement
        return self._said.get(session, "")


def idle_statements(trial: Trial) -> frozenset[str]:
    """What a worker says that has nothing to do; listened to once for each cell, with the worker that is there."""
    stage, cell = trial.setting.stage, trial.setting.engine.cell.name
    if cell not in stage.idle:
        watch = stage.watched.begin()
        time.sleep(IDLE_SECONDS)
        watch.end()
        stage.idle[cell] = idle_among(watch.seams)
    return stage.idle[cell]


def idle_among(seams: Iterable[Seam]) -> frozenset[str]:
    """The statements, and the tables of which rows were changed: a poll that finds nothing changes none."""
    seams = tuple(seams)
    changed = {_table(seam.statement) for seam in seams if seam.side is Side.AFTER and _CHANGED.search(seam.answer)}
    return frozenset({seam.statement for seam in seams} | changed - {""})


def killed_at_the_commit_of(step: str, side: Side) -> Deed:
    """The worker dies at the commit that records the answer of that step: before the server gets it, or after it has
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
            if side is Side.BEFORE:  # a write that is held for another reason does not keep the answer from its record
                trial.watch(lambda standing: has_recorded(standing, step) is True, AHEAD_SECONDS)
            proof = f"{proof}; {trial.kill(worker)}"
            proof = f"{proof}; {what_was_struck(trial, step, side, commit)}"
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
    commit = CommitOf(Side.BEFORE, idle)
    hold = watch.hold(commit)
    watch.cut(lambda seam: hold.is_delivered and seam.number == _number(hold.delivered.seam))
    try:
        planned.open()
        wait_until(lambda: hold.is_delivered or paid.is_reached(), "the plan is written down, or a tool is asked")
        trial.watch(lambda standing: paid.is_reached() or has_recorded(standing, "plan") is True, AHEAD_SECONDS)
        is_ahead, died = paid.is_reached(), trial.kill(worker)
        struck = what_was_struck(trial, "plan", Side.BEFORE, commit)
        if has_recorded(trial.status(), "plan") is None:
            raise NotReachedError(f"{struck}, so it is not known whether what was held was the plan.")
        ahead = "a tool was asked before the plan was written" if is_ahead else "no tool was asked before that"
        held = f"held: {_short(commit.commits)}" if hold.is_delivered else "nothing had come to be written yet"
        proof = f"{held}; {ahead}; {died}; {struck}"
        trial.note(f"{held}; {ahead}; {struck}")
    finally:
        hold.let_go()
        watch.end()
    paid.open()
    trial.worker()
    return proof, trial.facts(trial.to_the_end())


def has_recorded(standing: Standing, step: str) -> bool | None:
    """The engine's record of the run has the answer of that step; None: it does not show what it has."""
    if standing.recorded_cents is None:
        return None
    return standing.recorded_cents >= RECORDED_CENTS[step]


def what_was_struck(trial: Trial, step: str, side: Side, commit: CommitOf) -> str:
    """What the record says now that the worker is dead, and the commit still held.

    Raises AnotherCommitError if that shows that the commit was not the one of that step; the trial is made anew then.
    """
    standing = trial.status()
    recorded = has_recorded(standing, step)
    if recorded is None:
        return f"the engine does not show whether the answer of {step} is recorded"
    stage, cell = trial.setting.stage, trial.setting.engine.cell.name
    proven = stage.recording.setdefault((cell, step), set())
    says = f"the record of the run comes to {standing.recorded_cents} cents, {'with' if recorded else 'without'} {step}"
    if recorded is (side is Side.AFTER) and (side is Side.AFTER or not commit.commits or commit.is_like(proven)):
        proven |= {commit.commits} if side is Side.AFTER else set()
        return says
    trial.struck_another = True
    if not any(commit.commits in known for (of, _), known in stage.recording.items() if of == cell):
        stage.idle[cell] |= {commit.commits} - {""}
    raise AnotherCommitError(
        f"another commit was struck, not the one that records {step}: {_short(commit.commits) or 'none'}; {says}"
    )


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
    return f"{held.proof}; it commits {_short(commit.commits)}"


def _table(statement: str) -> str:
    """The table whose rows it changes; empty if it does not begin so."""
    found = _WRITES.match(statement)
    return f"rows of {found[1].replace(chr(34), '').lower()}" if found else ""


def _short(statement: str) -> str:
    return textwrap.shorten(statement, TOLD_CHARACTERS, placeholder=" …")


def _number(seam: Seam | None) -> int:
    return 0 if seam is None else seam.number
