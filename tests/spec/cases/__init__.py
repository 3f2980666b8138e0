"""What every rule must accept, reject and pass over in silence, one module a chapter."""

from . import continuation, cost, effect, entry, fence, history, payloads, settle

CASES = (
    *entry.CASES,
    *fence.CASES,
    *history.CASES,
    *payloads.CASES,
    *effect.CASES,
    *cost.CASES,
    *settle.CASES,
    *continuation.CASES,
)
