"""Who asks: taken from the token of a request, never from its body."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Identity:
    """On whose behalf the store is asked: `principal` is recorded with what is written, `tenant` owns it."""

    tenant: str
    principal: str
