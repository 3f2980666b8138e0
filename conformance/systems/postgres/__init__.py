"""The reference implementation as a system under test. Of the harness only this, and the system of its
gateway, know it.
"""

from keepfact.impl.server import Server

from .servers import edited, remove, shared_server
from .system import OFFERED, PRINCIPAL, Postgres

__all__ = ["OFFERED", "PRINCIPAL", "Postgres", "Server", "edited", "remove", "shared_server"]
