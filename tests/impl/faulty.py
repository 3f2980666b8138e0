"""Parts of a worker that are faulty in one way each: a store that loses answers, seams at which something happens."""

from collections.abc import Callable
from typing import Any

from keepfact.impl.lease import Heartbeat
from keepfact.impl.outcomes import Lost, Outcome
from keepfact.impl.seams import Seams
from keepfact.impl.store import ConnectionLostError, Store


class DyingError(BaseException):
    """The process ends here."""


class Unheard(Heartbeat):
    """There is no process to renew: the store's clock stands still here."""

    def start(self) -> None:
        """Nothing is started."""


class Watched(Seams):
    """Calls something at each seam, with its number and name."""

    def __init__(self, at_each: Callable[[int, str], None]) -> None:
        super().__init__(None)
        self._at_each, self.count = at_each, 0

    def reach(self, name: str) -> None:
        self._at_each(self.count, name)
        self.count += 1


class Forgetful(Store):
    """Loses the first answer to every command, after it was done, and refuses every second reading."""

    def __init__(self, store: Store) -> None:
        self.__dict__.update(store.__dict__)
        self._heard: set[object] = set()
        self._is_deaf = False

    def perform(self, command: str, **fields: Any) -> Outcome:
        outcome = super().perform(command, **fields)
        is_first = fields["command_id"] not in self._heard
        self._heard.add(fields["command_id"])
        return Lost() if is_first else outcome

    def _call(self, entry_point: str, function: str, *rest: Any) -> Any:
        self._is_deaf = not self._is_deaf
        if self._is_deaf and function in ("observe", "read_events"):
            raise ConnectionLostError
        return super()._call(entry_point, function, *rest)
