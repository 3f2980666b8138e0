"""People who ask at the store itself."""

import time
import uuid
from collections.abc import Iterator
from typing import Any

from keepfact.impl.installation import TENANT
from keepfact.impl.outcomes import Done, Refused
from keepfact.impl.prepared import Value
from keepfact.impl.store import Identity, Store

from .stage import PATIENCE_SECONDS, Who

PAGE = 100


class AtTheStore:
    """Each command is asked on behalf of whoever asks, in the session of its entry point."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def ask(self, who: Who, command: str, **fields: Value) -> str | None:
        """One command."""
        speaking = self._store.speaking_for(Identity(TENANT, who))
        match speaking.perform(command, command_id=str(uuid.uuid4()), **fields):
            case Done():
                return None
            case Refused(reason):
                return reason
        raise RuntimeError(f"expected to hear whether {command} was done, but the answer was lost. Start again.")

    def run(self, run: str) -> dict[str, Any]:
        """One run."""
        return self._store.observe([run], payloads=True)[0]

    def follow(self, run: str) -> Iterator[dict[str, Any]]:
        """Page after page, until no more can come."""
        after, deadline = 0, time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            page = self._store.read_events(run, after, PAGE)
            assert page is not None  # it is followed because it is there
            for event in page["events"]:
                after = event["number"]
                yield event
            if page["is_over"] and after == page["last"]:
                return
            time.sleep(0.02)
        raise TimeoutError(f"expected {run} to end within {PATIENCE_SECONDS} seconds")
