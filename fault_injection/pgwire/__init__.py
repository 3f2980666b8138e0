"""Stands between a system and its PostgreSQL, knows its statements and transactions, and can fail at any of them."""

from .faults import Cut, Delivered, Fault, Hold, Partition
from .proxy import Proxy, Refusal
from .seams import Client, Seam, Side, everyone, named
from .statements import Kind
from .upstream import BadUpstreamError, Upstream
from .watch import Watch

__all__ = [
    "BadUpstreamError",
    "Client",
    "Cut",
    "Delivered",
    "Fault",
    "Hold",
    "Kind",
    "Partition",
    "Proxy",
    "Refusal",
    "Seam",
    "Side",
    "Upstream",
    "Watch",
    "everyone",
    "named",
]
