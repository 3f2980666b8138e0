"""The bounded worlds that are explored to the last edge, each with its bounds said and its size pinned."""

from .scope import Scope
from .spine import CORE, COSTS, RETRY

SCOPES = (CORE, COSTS, RETRY)

__all__ = ["CORE", "COSTS", "RETRY", "SCOPES", "Scope"]
