"""Asking again, within bounds: only what can do no harm when it arrives twice.

That is a lookup, and a request to a tool that recognises the id of its call. A completion is never asked for again
from here: each costs.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from .answers import NoAnswer, NotSent, Refusal

T = TypeVar("T")
Permit = Callable[[int], bool]
"""Asked before each further sending, with its number from 2. Where the store counts sendings, it commits one."""


def backoff(
    first_seconds: float, longest_seconds: float, chance: Callable[[], float] = random.random
) -> Callable[[int], float]:
    """The pause after each attempt: anything up to a bound that doubles, so that not all who wait return at once."""
    return lambda number: min(first_seconds * 2.0 ** (number - 1), longest_seconds) * chance()


@dataclass(frozen=True, slots=True)
class Policy:
    """How often, and for how long. No attempt begins after the deadline, counted from the first."""

    attempts_max: int = 3
    deadline_seconds: float = 30.0
    pause_seconds: Callable[[int], float] = field(default_factory=lambda: backoff(0.2, 5.0))


def repeat(
    policy: Policy,
    send: Callable[[], T | Refusal | NotSent | NoAnswer],
    permit: Permit = lambda number: True,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> T | Refusal | NotSent | NoAnswer:
    """Send until there is an answer or a definite no, or until the policy has enough.

    Once an answer was lost, a later no is none: it speaks of its own request, and the lost one may have acted.
    """
    deadline = clock() + policy.deadline_seconds
    lost: NoAnswer | None = None
    number = 1
    while True:
        reply = send()
        if isinstance(reply, NoAnswer):
            lost = reply
        elif not isinstance(reply, NotSent | Refusal):
            return reply
        is_final = isinstance(reply, Refusal) and not reply.is_passing
        pause = policy.pause_seconds(number)
        if is_final or number >= policy.attempts_max or clock() + pause > deadline:
            break
        sleep(pause)
        number += 1
        if not permit(number):
            break
    return reply if lost is None else lost
