"""How the events of a history are chained by digests, so that changing one shows."""

import hashlib
from dataclasses import replace
from functools import lru_cache

from keepfact.spec.vocabulary import EventView


@lru_cache(4096)  # a rule asks for that of every event of a run whenever there is one more
def event_digest(event: EventView) -> str:
    """The digest of an event, by the recipe that `EventView` states. The source of the rule is HISTORY.2."""
    fields = (
        event.number,
        event.type.value,
        event.entry_point.value,
        event.principal,
        event.fence,
        event.concerns,
        event.payload_digest,
        event.previous_digest,
    )
    text = "\n".join("" if field is None else str(field) for field in fields)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def chained(event: EventView) -> EventView:
    """The event with its own digest filled in."""
    return replace(event, digest=event_digest(event))
