"""The bounded worlds that are explored to the last edge, each with its bounds said and its size pinned."""

from .approvals import APPROVALS, RESUMED_APPROVALS
from .cancel import CANCEL
from .continuation import CONTINUATION, HANDED_ON, INHERITED_CALLS
from .resume import COMPENSATION, EFFECTS, LOOKUPS, RECOGNISED, RESUME, RESUMED_WAITS
from .scope import LEASE_SECONDS, Scope
from .spine import CORE, COSTS, RETRY
from .stores import NEIGHBOURS, PAYLOADS, RACES, READERS, TENANTS
from .versions import MIGRATION, VERSIONS
from .waits import CHILDREN, TIMERS, WAITS

SPINE = (CORE, COSTS, RETRY)
SCOPES = (
    *SPINE,
    *(EFFECTS, RECOGNISED, COMPENSATION, LOOKUPS, RESUME, WAITS, TIMERS, CHILDREN, RESUMED_WAITS),
    *(APPROVALS, RESUMED_APPROVALS, VERSIONS, MIGRATION, CONTINUATION, HANDED_ON, INHERITED_CALLS),
    *(CANCEL, PAYLOADS, READERS, TENANTS, RACES, NEIGHBOURS),
)

__all__ = ["CORE", "COSTS", "LEASE_SECONDS", "RETRY", "SCOPES", "SPINE", "Scope"]
