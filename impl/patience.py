"""Things that were tried in vain are tried again, but less and less often."""

import time
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass, field

PAUSE_SECONDS, PAUSE_SECONDS_MAX = 1.0, 60.0


@dataclass
class Patience:
    """Remembers for each thing when it is due again; every time the pause doubles. `clock` gives seconds."""

    clock: Callable[[], float] = time.monotonic
    _due: dict[Hashable, tuple[float, float]] = field(default_factory=dict)
    """When it is due, and how long the pause was."""

    def is_due(self, thing: Hashable) -> bool:
        """Also whatever was never tried."""
        return thing not in self._due or self.clock() >= self._due[thing][0]

    def tried(self, thing: Hashable) -> None:
        """It was tried just now, and in vain."""
        pause = min(2 * self._due[thing][1], PAUSE_SECONDS_MAX) if thing in self._due else PAUSE_SECONDS
        self._due[thing] = (self.clock() + pause, pause)

    def keep(self, things: Collection[Hashable]) -> None:
        """Forget every thing but these."""
        self._due = {thing: due for thing, due in self._due.items() if thing in things}
