"""The three ways in which a command can end for its caller."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Grant:
    """A lease on `run` under `fence`, for `lease_seconds` from the commit, on the store's clock."""

    run: str
    fence: int
    lease_seconds: int


@dataclass(frozen=True, slots=True)
class Done:
    """It happened and is durable."""

    grant: Grant | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """It certainly did not happen. `runs` are those that stand in its way, if any."""

    reason: str
    runs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lost:
    """Nobody knows. Asking again under the same command id is safe, and tells."""


Outcome = Done | Refused | Lost
