"""What can come of a request: an answer, a definite no, nothing sent, or nobody knows."""

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, NonNegativeInt


@dataclass(frozen=True, slots=True)
class Answer:
    """The text that came back, in full, and the amount it names; None is no amount, which is not 0."""

    text: str
    cost_cents: int | None


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer by which the other side promises that this request did nothing and never will.

    It says nothing about an earlier request under the same id. `is_passing`: the same may be let in later.
    """

    why: str
    text: str
    cost_cents: int | None
    is_passing: bool = False


@dataclass(frozen=True, slots=True)
class NotSent:
    """Not a byte of the request has left; `why` is for the log."""

    why: str


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Nobody here knows what the other side did; `why` is for the log."""

    why: str


Reply = Answer | Refusal | NotSent | NoAnswer


class Finding(BaseModel):
    """What a tool server says of an operation when it is looked up."""

    model_config = ConfigDict(frozen=True, strict=True)

    status: Literal["confirmed", "not_found", "ambiguous"]
    cost_cents: NonNegativeInt | None = None
