"""Makes the moves of a failure again, from a plain pytest file with nothing in it but commands."""

import hashlib
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from . import asking
from .evidence import EvidenceError
from .judge import Judge
from .meetings.interleave import as_planned, meet
from .meetings.together import blamed
from .recorder import Move
from .system import capabilities_of
from .systems import open_system
from .trial import Failure, RuleBrokenError, Trial


def replay(system_name: str, moves: Sequence[Move]) -> None:
    """Make these moves on a fresh system; RuleBrokenError where a rule breaks or the model cannot follow."""
    system = open_system(system_name)
    try:
        failure = Trial(
            system, Judge(system.contracts, capabilities=capabilities_of(system)), None, "replay"
        ).run_through(tuple(moves))
    finally:
        asking.close(system)
    if failure is not None:
        raise RuleBrokenError(failure)


def replay_meeting(system_name: str, moves: Sequence[Move], plan: Sequence[int]) -> None:
    """Make the moves on a fresh system, the last ones at once as planned; RuleBrokenError if no order explains it."""
    system = open_system(system_name)
    judge = Judge(system.contracts, capabilities=capabilities_of(system))
    try:
        met = meet(system, tuple(moves), judge, None, "replay", as_planned(plan), max(plan) + 1)
    finally:
        asking.close(system)
    if met.is_explained is False:
        way = met.way.recorder
        raise RuleBrokenError(Failure(way.trace, tuple(moves), tuple(way.steps), blamed(met, judge)))


def write_replay(
    directory: Path,
    system_name: str,
    rule: str,
    sentence: str,
    moves: Sequence[Move],
    plan: Sequence[int] | None = None,
    *,
    is_one_of_many: bool = False,
) -> Path:
    """Write the pytest file of a failure into the evidence directory. With a plan the last moves meet.

    One of many bears the beginning of a digest of its moves in its name: the same failure found twice is one file.
    """
    name = rule.lower().replace(".", "_")
    names = sorted({word for move in moves for word in _names(move.cause)})
    listed = "\n".join(f"    {_code(move)}," for move in moves)
    path = directory / f"replay_{name}{f'_{_digest(listed)}' if is_one_of_many else ''}.py"
    call, more = "replay(SYSTEM, MOVES)", ""
    if plan is not None:
        call, more = (
            "replay_meeting(SYSTEM, MOVES, PLAN)",
            f"PLAN = {list(plan)}  # who goes on, of those that meet\n",
        )
    said = sentence.replace("\\", "\\\\").replace('"', '\\"')
    text = f'''"""Replay of a failure: {rule}, {said}

Run it alone: pytest {path.name}
It fails as long as the system breaks the rule, and passes once it does not.
"""

from keepfact.conformance.recorder import Move
from keepfact.conformance.replay import {call.partition("(")[0]}
from keepfact.spec.vocabulary import {", ".join(names)}

SYSTEM = {system_name!r}
MOVES = [
{listed}
]
{more}

def test_{name}_holds() -> None:
    {call}
'''
    try:
        path.write_text(text)
    except OSError as error:
        raise EvidenceError(f"expected to write {path}, but: {error.strerror}. Give another --out.") from error
    return path


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _code(value: Any) -> str:
    """The value as Python that makes it again."""
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if is_dataclass(value) and not isinstance(value, type):
        parts = ", ".join(f"{field.name}={_code(getattr(value, field.name))}" for field in fields(value))
        return f"{type(value).__name__}({parts})"
    return repr(value)


def _names(value: Any) -> set[str]:
    """The names of ours that its code uses."""
    if isinstance(value, tuple):
        return {name for item in value for name in _names(item)}
    if isinstance(value, Enum):
        return {type(value).__name__}
    if is_dataclass(value):
        return {type(value).__name__}.union(*(_names(getattr(value, field.name)) for field in fields(value)))
    return set()
