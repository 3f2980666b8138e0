"""What every rule must accept, reject and pass over in silence, one module a chapter."""

from . import bounds, cancel, cost, effect, entry, fence, history, settle

CASES = (
    *entry.CASES,
    *fence.CASES,
    *history.CASES,
    *effect.CASES,
    *bounds.CASES,
    *cost.CASES,
    *settle.CASES,
    *cancel.CASES,
)
