"""What every rule must accept, reject and pass over in silence, one module a chapter."""

from . import approval, cost, effect, entry, fence, history, settle, tenant, version

CASES = (
    *entry.CASES,
    *fence.CASES,
    *history.CASES,
    *effect.CASES,
    *cost.CASES,
    *settle.CASES,
    *approval.CASES,
    *version.CASES,
    *tenant.CASES,
)
