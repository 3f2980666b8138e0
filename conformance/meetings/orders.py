"""Whether what several commands were answered at once, and what was seen then, can be explained by some order of them.

Each command takes effect at one moment between its sending and its answer; then there is an order in which the model,
doing one after the other, gives the same answers and comes to look the same. A command that was answered before another
was sent comes before it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from keepfact.conformance.evidence import AskedRecord
from keepfact.model import worlds
from keepfact.spec.vocabulary import Asking, Command, Observation, Outcome, Session

Order = tuple[int, ...]
"""The commands, by their places."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A command that was under way from one moment to another, as counted by whoever sent it, and its answer."""

    command: Command | Asking
    outcome: Outcome
    sent: int
    answered: int

    @property
    def said(self) -> Command:
        """What was asked, whoever asked it."""
        return self.command.command if isinstance(self.command, Asking) else self.command

    @property
    def session(self) -> Session | None:
        """Who asked, if it was not the usual session."""
        return self.command.session if isinstance(self.command, Asking) else None

    def record(self) -> AskedRecord:
        """For the evidence."""
        return AskedRecord(
            cause=self.said, outcome=self.outcome, sent=self.sent, answered=self.answered, session=self.session
        )


def is_explained(
    before: worlds.Worlds, asked: Sequence[Asked], observed: Observation, beside: Iterable[str] = ()
) -> bool | None:
    """Whether some order explains everything; None where there are too many to tell."""
    try:
        return explanation(before, asked, observed, beside) is not None
    except GaveUpError:
        return None


class GaveUpError(Exception):
    """More orders would have to be tried than is allowed: nobody can say."""


def explanation(
    before: worlds.Worlds,
    asked: Sequence[Asked],
    observed: Observation,
    beside: Iterable[str] = (),
    *,
    tries_max: int = 100_000,
) -> Order | None:
    """The first order that explains everything; None if none does. Raises GaveUpError.

    Depth first. Where the same commands have led to the same worlds before, nothing new can come of it.
    """
    known: set[tuple[frozenset[int], worlds.Worlds]] = set()
    beside = tuple(beside)
    waiting: list[tuple[Order, worlds.Worlds]] = [((), before)]
    while waiting:
        order, possible = waiting.pop()
        if len(order) == len(asked):
            if worlds.seen(possible, observed, beside):
                return order
            continue
        for place in reversed(allowed_next(order, asked)):
            left = worlds.after(possible, asked[place].command, asked[place].outcome)
            reached = frozenset((*order, place)), left
            if not left or reached in known:
                continue
            known.add(reached)
            if len(known) > tries_max:
                raise GaveUpError
            waiting.append(((*order, place), left))
    return None


def allowed_next(order: Order, asked: Sequence[Asked]) -> list[int]:
    """The places that can come next: nothing that is left was answered before they were sent."""
    left = [place for place in range(len(asked)) if place not in order]
    return [
        place for place in left if all(asked[other].answered > asked[place].sent for other in left if other != place)
    ]
