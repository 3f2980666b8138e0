"""Causes and outcomes in plain words, as a failure is told to a person."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import zip_longest
from typing import Any, assert_never

from keepfact.spec.vocabulary import (
    BESIDE_RUNS,
    TENANT,
    Act,
    Asking,
    Cause,
    Claim,
    Done,
    Drifted,
    EntryPoint,
    Fail,
    Happening,
    Intend,
    LookedUp,
    Lost,
    MarkUnknown,
    Observation,
    Observe,
    Outcome,
    Publish,
    Reconcile,
    RecordAnswer,
    Recover,
    Refused,
    Release,
    Renew,
    Restarted,
    Session,
    Step,
    Submit,
    Succeed,
    Tick,
    ToolReleased,
    WorkerRan,
)

from .other_words import amount_in_words, many, other_in_words


def cause_in_words(cause: Cause | Asking) -> str:
    """What was asked, or what happened, as one clause."""
    match cause:
        case Asking():
            return f"{_session_in_words(cause.session)}: {cause_in_words(cause.command)}"
        case Tick() | Act() | Drifted() | Restarted() | ToolReleased() | WorkerRan() | LookedUp():
            return _happening(cause)
        case Observe():
            return f"somebody looks at {cause.run}"
        case Submit():
            return (
                f"{cause.run} is submitted under {cause.contract} with a budget of {many(cause.budget_cents, 'cent')}"
            )
        case Claim():
            return f"worker {cause.worker} claims {cause.run}"
        case Renew():
            return f"the holder of fence {cause.fence} renews its lease on {cause.run}"
        case Release():
            return f"the holder of fence {cause.fence} releases {cause.run}"
        case Intend():
            again = f", superseding {cause.supersedes}" if cause.supersedes else ""
            return (
                f"the holder of fence {cause.fence} intends {cause.kind} {cause.call} ({cause.digest}) "
                f"for at most {many(cause.ceiling_cents, 'cent')}{again}"
            )
        case RecordAnswer():
            amount = amount_in_words(cause.cost_cents)
            return f"the holder of fence {cause.fence} records the answer of {cause.call}, which names {amount}"
        case MarkUnknown():
            return f"the holder of fence {cause.fence} says that the answer of {cause.call} was lost"
        case Publish():
            quality = "a qualified" if cause.qualified else "an unqualified"
            return f"the holder of fence {cause.fence} publishes {quality} body"
        case Succeed():
            return f"the holder of fence {cause.fence} ends {cause.run} as succeeded"
        case Fail():
            return f"the holder of fence {cause.fence} ends {cause.run} as failed"
        case Recover():
            return f"recovery comes to {cause.run}"
        case Reconcile():
            asked = "" if cause.sends is None else f", as of sending {cause.sends}"
            amount = amount_in_words(cause.cost_cents)
            return f"evidence comes in on {cause.call}{asked}: {cause.evidence}, with {amount}"
        case _:
            return other_in_words(cause)


def outcome_in_words(outcome: Outcome) -> str:
    """How it ended for the caller."""
    match outcome:
        case Done():
            return _done_in_words(outcome)
        case Refused():
            in_the_way = f", because of {', '.join(outcome.runs)}" if outcome.runs else ""
            return f"was refused ({outcome.reason}{in_the_way})"
        case Lost():
            return "was never answered"
        case _:
            raise AssertionError(outcome)


def _done_in_words(done: Done) -> str:
    """Done, with what came back."""
    if done.grant is not None:
        return f"was done and handed out fence {done.grant.fence}"
    if done.stream is not None:
        end = "and that it is over" if done.stream.is_over else "and that more may come"
        return f"gave {many(len(done.stream.events), 'event')}, {end}"
    if done.evidence is not None:
        return f"heard {done.evidence}"
    return f"decided to {done.decision}" if done.decision is not None else "was done"


def seen_in_words(step: Step) -> str:
    """What a step looked like from outside: the answer, and what had become of the run."""
    said = "" if step.outcome is None else f"it {outcome_in_words(step.outcome)}; "
    if step.changed_nothing:
        return f"{said}nothing the system shows had changed"
    if step.new is None:
        return f"{said}the run was gone"
    events = ", ".join(event.type.value for event in step.new_events) or "no new event"
    return f"{said}then the run was {step.new.state.value}, with {events} in its history"


def differences_in_words(expected: Observation, shown: Observation) -> list[str]:
    """Where the two part, one line each, as `run-1, call pay, state: expected unknown, seen open`."""
    names = dict.fromkeys(run.run for run in (*expected.runs, *shown.runs))
    lines = [line for name in names for line in _differences(name, expected.run(name), shown.run(name))]
    for name in BESIDE_RUNS:
        lines += _differences(name.replace("_", " "), getattr(expected, name), getattr(shown, name))
    return lines


def _differences(where: str, want: Any, have: Any) -> Iterator[str]:
    if want == have:
        return
    if isinstance(want, tuple) and isinstance(have, tuple):
        for number, pair in enumerate(zip_longest(want, have), 1):
            yield from _differences(f"{where} {number}", *pair)
    elif is_dataclass(want) and type(want) is type(have):
        for field in fields(want):
            name = field.name.replace("_", " ")
            yield from _differences(f"{where}, {name}", getattr(want, field.name), getattr(have, field.name))
    else:
        yield f"{where}: expected {_plain(want)}, seen {_plain(have)}"


def _plain(value: Any) -> str:
    """A value without the names of our classes: of a whole thing, only that it is there."""
    if value is None:
        return "nothing"
    return "something" if is_dataclass(value) else str(value)


def _session_in_words(session: Session) -> str:
    """Who asks, where it is not the one whose door it is."""
    of_tenant = "" if session.tenant == TENANT else f" of tenant {session.tenant}"
    return f"{session.principal}{of_tenant} asks at the door to {session.role}"


def _happening(happening: Happening) -> str:
    match happening:
        case Tick(seconds) if seconds < 0:
            return f"the store's clock jumps back by {many(-seconds, 'second')}"
        case Tick(seconds):
            return f"{many(seconds, 'second')} of the store's clock pass"
        case Act():
            return f"outside, {happening.call} takes effect and costs {many(happening.cost_cents, 'cent')}"
        case WorkerRan():
            how = "" if happening.door is EntryPoint.WORK else f" by itself, at the door {happening.door},"
            return f"a worker process{how} works on {happening.run}"
        case Drifted():
            return f"the {happening.what} that approvals are bound to changes"
        case Restarted():
            return "the system's processes stop and start again"
        case ToolReleased():
            return "the tool is rolled out in a new release"
        case LookedUp():
            return f"the system looks up what became of the calls of {happening.run}"
        case _:
            assert_never(happening)


def in_short(rules: list[str]) -> str:
    """Ids in the order of the book, a chapter once: as `WAKE.1, 2, 5`."""
    chapters: dict[str, list[str]] = {}
    for rule in rules:
        chapter, _, number = rule.partition(".")
        chapters.setdefault(chapter, []).append(number)
    return "; ".join(f"{chapter}.{', '.join(numbers)}" for chapter, numbers in chapters.items())
