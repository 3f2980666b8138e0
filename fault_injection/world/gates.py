"""Gates: where a request is held, cut or failed. A gate says that it was reached; the experiment decides the rest."""

import asyncio
from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import ConfigDict

from .ledger import Endpoint


class GateKind(StrEnum):
    """What a gate does to the request it takes."""

    HOLD_BEFORE_ACTING = "hold_before_acting"
    RESET_AND_DROP = "reset_and_drop"
    """The connection is reset, and the request never acts."""
    RESET_THEN_ACT = "reset_then_act"
    """The connection is reset; the request acts when the gate is opened."""
    ACT_THEN_HOLD = "act_then_hold"
    ACT_THEN_RESET = "act_then_reset"
    ACT_THEN_HALF = "act_then_half"
    """Half the answer is sent, and the connection closed."""
    ACT_THEN_FAIL = "act_then_fail"


@dataclass(frozen=True, slots=True)
class GateSetting:
    """Which one request a gate takes: the next that fits. `number` counts the requests of its run, from 1."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # a misspelt condition would be none

    endpoint: Endpoint
    kind: GateKind
    run: str | None = None
    key: str | None = None
    number: int | None = None

    def fits(self, endpoint: Endpoint, run: str | None, key: str | None, number: int) -> bool:
        return (
            self.endpoint is endpoint
            and self.run in (None, run)
            and self.key in (None, key)
            and self.number in (None, number)
        )


@dataclass(slots=True)
class Gate:
    """A gate takes one request. `is_reached`: the request stands there, or was cut or failed there."""

    setting: GateSetting
    is_taken: bool = False
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    opened: asyncio.Event = field(default_factory=asyncio.Event)

    async def hold(self) -> None:
        """Say that a request stands here, and keep it until the gate is opened."""
        self.reached.set()
        await self.opened.wait()


class Gates:
    """All the gates that were ever set, by number."""

    def __init__(self) -> None:
        self._gates: list[Gate] = []

    def set(self, setting: GateSetting) -> int:
        """Set a gate and give its number, from 1."""
        self._gates.append(Gate(setting))
        return len(self._gates)

    def get(self, number: int) -> Gate | None:
        """The gate of that number; None if it was never set."""
        return self._gates[number - 1] if 1 <= number <= len(self._gates) else None

    def take(self, endpoint: Endpoint, run: str | None, key: str | None, number: int) -> Gate | None:
        """The first free gate that fits this request; from now on it is taken."""
        for gate in self._gates:
            if not gate.is_taken and gate.setting.fits(endpoint, run, key, number):
                gate.is_taken = True
                return gate
        return None
