"""One trace against one system: each move is made, seen, judged by the rules, and compared with the model."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from keepfact.model import worlds
from keepfact.model.agree import comparable, is_answer
from keepfact.model.state import Call, Run, State
from keepfact.model.step import step as model_step
from keepfact.model.view import view
from keepfact.spec.vocabulary import (
    NOTHING,
    Act,
    Asking,
    CallState,
    Cause,
    Command,
    Drifted,
    Evidence,
    LookedUp,
    Observation,
    Outcome,
    Reconcile,
    RecordAnswer,
    Restarted,
    RunId,
    Step,
    Tick,
    ToolReleased,
    Truth,
    WorkerRan,
)

from . import asking
from .evidence import EvidenceWriter
from .judge import MODEL, Judge, Violation
from .recorder import Move, Moves, Recorder
from .system import SHOWN_BESIDE, System, capabilities_of
from .words import differences_in_words, outcome_in_words


@dataclass(frozen=True, slots=True)
class Failure:
    """A trace that ended in a broken rule: every move up to it, and every step as it was seen."""

    trace: str
    moves: Moves
    steps: tuple[Step, ...]
    violations: tuple[Violation, ...]

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that the last step broke, in the order of the book."""
        return tuple(violation.rule for violation in self.violations)

    @property
    def breaks_a_rule(self) -> bool:
        """A rule of the book says what is wrong, and not only the model that something is."""
        return MODEL not in self.rules


class RuleBrokenError(AssertionError):
    """A step broke rules, or the model cannot explain it."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__("; ".join(f"{violation.rule}: {violation.seen}" for violation in failure.violations))


class Trial:
    """The system beside the set of worlds that the model allows. `truth` is what the harness lets happen outside.

    A system that can begins afresh with it. `made` is told of each step.
    """

    def __init__(
        self,
        system: System,
        judge: Judge,
        evidence: EvidenceWriter | None,
        trace: str,
        made: Callable[[Step], None] = lambda step: None,
    ) -> None:
        self._judge = judge
        self._evidence = evidence
        self._made = made
        offered = capabilities_of(system)
        self.beside = tuple(field for capability, field in SHOWN_BESIDE.items() if capability in offered)
        self.truth: Truth = NOTHING
        self.worlds: worlds.Worlds = frozenset({State(system.lease_seconds)})
        self.recorder = Recorder(system, judge, evidence, trace, lambda: self.truth)
        asking.begin(system)

    def make(self, move: Move) -> Outcome | None:
        """Make one move; RuleBrokenError when a rule breaks or no world is left."""
        outcome = self._do(move)
        self._made(self.recorder.steps[-1])
        before, observed = self.worlds, self.recorder.observation
        self.worlds = worlds.seen(worlds.after(before, move.cause, outcome), observed, self.beside)
        broken = self.recorder.broken
        if not self.worlds:
            expected, seen = self._unexplained(before, move, outcome)
            if broken:
                told = "" if expected else f"; the model: {seen}"
                broken = tuple(replace(violation, seen=violation.seen + told, model=expected) for violation in broken)
            else:
                expected = expected or "the system to look as the model predicts"
                trace = self.recorder.trace
                broken = (Violation(MODEL, self.recorder.steps[-1], expected, seen, trace=trace),)
                self._judge.weigh(MODEL, trace, expected, seen, self._evidence, broken[0])
        if broken:
            recorder = self.recorder
            raise RuleBrokenError(Failure(recorder.trace, tuple(recorder.moves), tuple(recorder.steps), broken))
        return outcome

    def run_through(self, moves: Moves) -> Failure | None:
        """Make these moves, leaving out any that the outside could not honestly make; the failure they end in."""
        try:
            for move in moves:
                if self.is_honest(move.said):
                    self.make(move)
        except RuleBrokenError as error:
            return error.failure
        return None

    def is_honest(self, cause: Cause) -> bool:
        """Whether the outside could say this: a call acts once, after its intent; answers and evidence are true.

        Sent again, a call can arrive again. Evidence that an answer refutes may be wrong: the system knows better, and
        must say so.
        """
        match cause:
            case Act():
                run = self.run(cause.run)
                call = run.call(cause.call) if run else None
                return call is not None and self.may_act(call)
            case RecordAnswer():
                true = self.truth.of(cause.call)
                return true is not None and cause.cost_cents in {None, true.cost_cents}
            case Reconcile(evidence=Evidence.CONFIRMED):
                true = self.truth.of(cause.call)
                return true is not None and cause.cost_cents in {None, true.cost_cents}
            case Reconcile(sends=sends) if sends is not None and self._was_sent_since(cause, sends):
                return True  # it was so when the tool was asked
            case Reconcile(evidence=Evidence.NOT_FOUND):
                return self.truth.of(cause.call) is None or self._is_answered(cause)
            case _:
                return True

    def _was_sent_since(self, cause: Reconcile, sends: int) -> bool:
        run = self.run(cause.run)
        call = run.call(cause.call) if run else None
        return call is not None and sends < call.sends

    def _is_answered(self, cause: Reconcile) -> bool:
        run = self.run(cause.run)
        call = run.call(cause.call) if run else None
        return call is not None and call.state is CallState.CONFIRMED

    def may_act(self, call: Call) -> bool:
        """Not yet arrived outside, and not yet known never to; or sent more often than it has arrived, to a tool that
        recognises it.
        """
        true = self.truth.of(call.call)
        if true is None:
            return call.state in {CallState.OPEN, CallState.UNKNOWN}
        return call.recognises and true.requests < call.sends

    def likely(self) -> State:
        """One of the worlds, to guide the search by: the one in which the fewest lost commands have happened."""
        return min(self.worlds, key=lambda world: len(world.answers))

    def run(self, run: RunId) -> Run | None:
        """The run as it is in a likely world."""
        return self.likely().run(run)

    def _do(self, move: Move) -> Outcome | None:
        match move.cause:
            case Act():
                _, after = model_step(self.likely(), move.cause)
                self.truth = after.truth
                self.recorder.happen(move.cause)
                return None
            case Tick() | Drifted() | Restarted() | ToolReleased() | WorkerRan() | LookedUp():
                self.recorder.happen(move.cause)
                return None
            case _:
                return self._ask(move.cause, move.fate)

    def _ask(self, command: Command | Asking, fate: str) -> Outcome:
        if fate == "never sent":
            return self.recorder.lose(command)
        return self.recorder.perform(command, withheld=fate == "withheld")

    def _unexplained(self, before: worlds.Worlds, move: Move, outcome: Outcome | None) -> tuple[str, str]:
        """What the model answers, if it answers otherwise, and what was seen; else where the two look otherwise."""
        predicted, after = model_step(min(before, key=lambda world: len(world.answers)), move.cause)
        if predicted is not None and outcome is not None and not is_answer(predicted, outcome):
            return f"it {outcome_in_words(predicted)}", f"it {outcome_in_words(outcome)}"
        lines = differences_in_words(self._comparable(view(after)), self._comparable(self.recorder.observation))
        return "", "; ".join(lines[:5])

    def _comparable(self, observation: Observation) -> Observation:
        """Without what each system chooses for itself."""
        beside = {field: getattr(observation, field) for field in self.beside}
        return Observation(tuple(map(comparable, observation.runs)), **beside)
