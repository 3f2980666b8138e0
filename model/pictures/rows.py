"""A counterexample as rows to look at: who asked what, what came back, where the run then stood."""

from collections.abc import Iterable
from dataclasses import dataclass

from keepfact.model.explore import Broken
from keepfact.spec.book import BOOK
from keepfact.spec.vocabulary import Done, Lost, Outcome, Refused, RunId, RunView, Step

from .names import asker_of, in_full, printable, spelled


@dataclass(frozen=True)
class Row:
    """One step. `came_back` is None for a happening, which nobody asked for; `details` say what it changed."""

    number: int
    asker: str
    said: str
    came_back: str | None
    stands: str
    details: tuple[str, ...]


@dataclass(frozen=True)
class Story:
    """A counterexample; `broken` are the rules that its last step broke, as id and sentence."""

    rows: tuple[Row, ...]
    broken: tuple[tuple[str, str], ...]

    @property
    def askers(self) -> tuple[str, ...]:
        """Everybody who asked, in order of first appearance."""
        return tuple(dict.fromkeys(row.asker for row in self.rows))

    @property
    def title(self) -> str:
        rules = " and ".join(rule for rule, _ in self.broken)
        are = "is" if len(self.broken) == 1 else "are"
        return f"How {rules} {are} broken, in {len(self.rows)} step{'s' * (len(self.rows) != 1)}"


def story_of(broken: Iterable[Broken]) -> Story:
    """The counterexample of rules that the same step broke."""
    found = list(broken)
    if not found:
        raise ValueError("expected at least one broken rule to make a picture of, but got none")
    path = found[0].path
    main = next((step.run_id for step in path if step.run_id is not None), None)
    rows = tuple(_row(number, step, main) for number, step in enumerate(path, 1))
    return Story(rows, tuple((one.rule, BOOK.rule(one.rule).sentence) for one in found if one.path == path))


def _row(number: int, step: Step, main: RunId | None) -> Row:
    about = step.run_id or main
    run = None if about is None else step.after.run(about)
    again = ", again under the same command id" if step.repeats is not None else ""
    stands = "absent" if run is None else _stands(run)
    return Row(
        number,
        asker_of(step.cause, step.session),
        in_full(step.cause, main) + again,
        None if step.outcome is None else _came_back(step.outcome),
        stands if about in {None, main} else f"{printable(str(about))}: {stands}",
        ("nothing changed",) if step.changed_nothing else tuple(_changes(step, about)),
    )


def _changes(step: Step, about: RunId | None) -> Iterable[str]:
    """What the step changed of the run that the row is about, what is gone, and what it wrote."""
    before = _details(None if about is None else step.before.run(about))
    after = _details(None if about is None else step.after.run(about))
    yield from (told for subject, told in after.items() if before.get(subject) != told)
    yield from (f"gone: {told}" for subject, told in before.items() if subject not in after)
    if step.new_events:
        yield f"writes {', '.join(spelled(event.type) for event in step.new_events)}"


def _came_back(outcome: Outcome) -> str:
    match outcome:
        case Refused():
            in_the_way = f" because of {', '.join(map(printable, outcome.runs))}" if outcome.runs else ""
            return f"refused: {spelled(outcome.reason)}{in_the_way}"
        case Lost():
            return "no answer"
        case Done(grant=None, evidence=None, decision=None, stream=None):
            return "done"
        case Done():
            return f"done: {_given(outcome)}"


def _given(done: Done) -> str:
    if done.grant is not None:
        return f"fence {done.grant.fence}"
    if done.stream is not None:
        return f"{len(done.stream.events)} events{', and it is over' * done.stream.is_over}"
    return done.evidence.value if done.evidence is not None else printable(done.decision or "")


def _stands(run: RunView) -> str:
    lapsed = ", lease lapsed" if run.lease_left_seconds == 0 else ""
    return f"{spelled(run.state)}{lapsed}"


def _details(run: RunView | None) -> dict[str, str]:
    """What there is to see of a run, by what it is about."""
    if run is None:
        return {}
    told = {"fence": f"fence {run.fence}"}
    if run.calls or run.known_cents or run.held_cents:
        told["ledger"] = f"{run.known_cents} known, {run.held_cents} held, {run.unresolved} unresolved"
    told |= {f"call {call.call}": f"{printable(call.call)}: {spelled(call.state)}" for call in run.calls}
    told |= {f"wait {wait.wait}": f"{printable(wait.wait)}: {spelled(wait.state)}" for wait in run.waits}
    for body in run.publications:
        told[f"body {body.version}"] = f"body {body.version}, {'' if body.qualified else 'not '}qualified"
    told |= {f"child {child.spawn}": f"child {printable(child.child)}" for child in run.children}
    told |= {f"finding {one.material}": f"finding {printable(one.material)}" for one in run.materials}
    if run.sealed_for is not None:
        told["sealed for"] = f"sealed for {spelled(run.sealed_for)}"
    if run.delivered is not None:
        told["delivers"] = f"delivers body {run.delivered.version}{', as partial' * run.delivered.partial}"
    return told
