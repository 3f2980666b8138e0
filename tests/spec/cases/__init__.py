"""What every rule must accept, reject and pass over in silence, one module a chapter."""

from . import (
    approval,
    bounds,
    cancel,
    continuation,
    cost,
    effect,
    entry,
    fence,
    history,
    payloads,
    settle,
    tenant,
    version,
    wake,
)

CASES = (
    *entry.CASES,
    *fence.CASES,
    *history.CASES,
    *payloads.CASES,
    *effect.CASES,
    *bounds.CASES,
    *cost.CASES,
    *settle.CASES,
    *wake.CASES,
    *approval.CASES,
    *cancel.CASES,
    *version.CASES,
    *continuation.CASES,
    *tenant.CASES,
)
