"""What is said over the wire, in the same JSON as in evidence: an object whose `is` names its class, and plain views.

What is asked is read leniently, for our own adapter must take all that keepfact can send, half characters included.
What a system answers is read strictly.
"""

import json
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, PlainValidator

from keepfact.conformance.strict import Form
from keepfact.spec.named import COMMANDS, OUTCOMES
from keepfact.spec.vocabulary import Capability, Command, Contract, Drift, Observation, Outcome, RunId, Session

PROBLEM = "application/problem+json"
HARNESS = "keepfact-harness"
"""The header that tells one harness from another."""


class _Form(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Described(_Form):
    """What the system is: its name, the full length of a lease in seconds, what it promises and offers, its versions.

    `capabilities` are those of keepfact.spec.vocabulary.Capability that it offers beyond the spine; `versions` name
    what is under test and what is below it.
    """

    model_config = ConfigDict(strict=True)

    name: Annotated[str, Field(min_length=1)]
    lease_seconds: Annotated[int, Field(ge=1)]
    contracts: Annotated[frozenset[Contract], Field(min_length=1), PlainSerializer(sorted)]
    capabilities: Annotated[frozenset[Capability], PlainSerializer(sorted)] = frozenset()
    versions: dict[str, str] = {}


class Performing(_Form):
    """A command, and who asks; null, or left out: whoever usually asks, at the command's own entry point."""

    command: Annotated[Command, PlainValidator(COMMANDS.read), PlainSerializer(COMMANDS.write)]
    session: Session | None = None


class Observing(_Form):
    """The runs to be shown, in this order; those that were never admitted are left out of the answer."""

    runs: tuple[RunId, ...]


class Ticking(_Form):
    """So many seconds pass on the store's clock."""

    seconds: Annotated[int, Field(ge=0)]


class Drifting(_Form):
    """What changes of that which approvals are bound to: its version counts on by one, a permission is withdrawn."""

    what: Drift


class Problem(BaseModel):
    """Problem details after RFC 9457: why there is no answer. `detail` is what keepfact shows."""

    title: str
    status: int
    detail: str
    type: str = "about:blank"


def read_described(body: bytes) -> Described:
    """Raises ValueError, which says what is wrong and where."""
    described: Described = _DESCRIBED.read(body)
    return described


def read_outcome(body: bytes) -> Outcome:
    """Raises ValueError, which says what is wrong and where."""
    return _read_outcome(body) if len(body) < 200 else _read_outcome.__wrapped__(body)


@lru_cache(maxsize=4096)
def _read_outcome(body: bytes) -> Outcome:
    # Most outcomes are the same few bytes.
    said = json.loads(body)
    name = said.pop("is", None) if isinstance(said, dict) else None
    if not isinstance(name, str) or name not in _OUTCOMES:
        raise ValueError(f"expected an object whose `is` is {', '.join(sorted(_OUTCOMES))}")
    outcome: Outcome = _OUTCOMES[name].read(json.dumps(said).encode())
    return outcome


def write_outcome(outcome: Outcome) -> bytes:
    """As `read_outcome` reads it."""
    return json.dumps(OUTCOMES.write(outcome)).encode()


def read_observation(body: bytes) -> Observation:
    """Raises ValueError, which says what is wrong and where."""
    observation: Observation = _OBSERVATION.read(body)
    return observation


def write_observation(observation: Observation) -> bytes:
    """As `read_observation` reads it."""
    return _OBSERVATION.write(observation)


def write_command(command: Command, session: Session | None) -> bytes:
    """As Performing reads it. Half a character stands escaped there."""
    asked: dict[str, Any] = {"command": COMMANDS.write(command)}
    if session is not None:
        asked["session"] = {"tenant": session.tenant, "principal": session.principal, "role": session.role.value}
    return json.dumps(asked).encode()


_OUTCOMES = {cls.__name__: Form(cls) for cls in OUTCOMES.classes}
_OBSERVATION = Form(Observation)
_DESCRIBED = Form(Described)
