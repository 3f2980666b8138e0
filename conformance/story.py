"""A failure, told to a person: what happened step by step, what a rule expects, what was seen instead."""

from collections.abc import Iterable

from keepfact.spec.vocabulary import Asking, Command, Step

from .evidence import StoryRecord
from .harm import Harm, fenced_off, harm_of
from .judge import MODEL, Violation
from .meetings.interleave import Met
from .recorder import Move
from .words import cause_in_words, outcome_in_words, seen_in_words

FENCED_OFF = "FENCE.8"
"""The rule about what a fenced-off worker is told."""

_ACTORS = ("The first", "The second", *(f"Number {number}" for number in range(3, 17)))


def tell(
    trace: str, steps: tuple[Step, ...], moves: tuple[Move, ...], violations: tuple[Violation, ...], replay: str | None
) -> list[StoryRecord]:
    """One story for each rule that the last step broke; all of them have the same lines."""
    lines = tuple(_line(step, move) for step, move in zip(steps, moves, strict=True))
    return [_told(violation, trace, lines, replay) for violation in violations]


def tell_path(rule: str, sentence: str, path: tuple[Step, ...]) -> StoryRecord:
    """A counterexample of the model, which has no trace and no replay."""
    moves = tuple(map(_move, path))
    lines = tuple(_line(step, move) for step, move in zip(path, moves, strict=True))
    seen, harm = seen_in_words(path[-1]), harm_of(path[-1])
    return StoryRecord(rule=rule, trace="model", lines=lines, expected=sentence, seen=seen, harm=harm)


def tell_violation(violation: Violation) -> StoryRecord:
    """A violation in the midst of a trace that went on after it, as an experiment's does; it has no replay."""
    steps = violation.steps or (violation.step,)
    return _told(violation, violation.trace, tuple(_line(step, _move(step)) for step in steps))


def worst_of(violations: Iterable[Violation]) -> list[Violation]:
    """Of each rule the violation that did most harm; of equals the first. Rules in the order of their first."""
    by_rule: dict[str, list[Violation]] = {}
    for violation in violations:
        by_rule.setdefault(violation.rule, []).append(violation)
    return [
        min(broken, key=lambda one: list(Harm).index(harm_of(one.step, _model(one)))) for broken in by_rule.values()
    ]


def tell_meeting(met: Met, violations: tuple[Violation, ...], replay: str | None) -> list[StoryRecord]:
    """One story for each rule that was broken where commands met: the way there, and who went on when."""
    way = met.way.recorder
    lines = [_line(step, move) for step, move in zip(way.steps, way.moves, strict=True)]
    for name, asked in zip(_ACTORS, met.asked, strict=False):
        lines.append(f"{name} is to be asked: {cause_in_words(asked.command)}")
    for at, (actor, milestone) in enumerate(met.schedule):
        if at == 0 or met.schedule[at - 1][0] != actor:
            lines.append(f"{_ACTORS[actor]} goes on from: {milestone}")
    lines += [f"{name}: it {outcome_in_words(asked.outcome)}" for name, asked in zip(_ACTORS, met.asked, strict=False)]
    return [_told(violation, way.trace, tuple(lines), replay) for violation in violations]


def in_full(story: StoryRecord) -> str:
    """The story as lines of text, from what is broken to the replay."""
    what = "the model cannot explain this" if story.rule == MODEL else f"{story.rule} is broken"
    lines = [f"  {number}. {line}" for number, line in enumerate(story.lines, 1)]
    replay = [f"  replay:   pytest {story.replay}"] if story.replay else []
    model = [f"  expected: {story.model}"] if story.model else []
    return "\n".join([what, *lines, *model, f"  expected: {story.expected}", f"  seen:     {story.seen}", *replay])


def _told(violation: Violation, trace: str, lines: tuple[str, ...], replay: str | None = None) -> StoryRecord:
    model = _model(violation)
    return StoryRecord(
        rule=violation.rule,
        trace=trace,
        lines=lines,
        expected=violation.expected,
        seen=violation.seen,
        replay=replay,
        harm=harm_of(violation.step, model),
        model=model,
    )


def _model(violation: Violation) -> str:
    """What the model answers. Where it did not run beside, the step tells it of a worker that is fenced off."""
    return violation.model or (fenced_off(violation.step) if violation.rule == FENCED_OFF else "")


def _move(step: Step) -> Move:
    """What was done in a step of which nobody knows more."""
    if step.session is not None and isinstance(step.cause, Command):
        return Move(Asking(step.session, step.cause))
    return Move(step.cause)


def _line(step: Step, move: Move) -> str:
    said = cause_in_words(move.cause)
    said = said[0].upper() + said[1:]
    again = ", sent again under the same command id" if step.repeats is not None else ""
    match move.fate:
        case "never sent":
            return f"{said}{again}: cut on its way, it never arrived"
        case "withheld":
            return f"{said}{again}: the answer was cut on its way back"
        case _ if step.outcome is None:
            return said
        case _:
            return f"{said}{again}: it {outcome_in_words(step.outcome)}"
