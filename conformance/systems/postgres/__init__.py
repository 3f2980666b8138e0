"""The reference implementation as a system under test. Of the harness only this, and the system of its
gateway, know it.
"""

from keepfact.impl.server import Server

from .system import OFFERED, PRINCIPAL, Postgres, edited, remove, shared_server

__all__ = ["OFFERED", "PRINCIPAL", "Postgres", "Server", "edited", "remove", "shared_server"]
