"""What every rule must accept, reject and pass over in silence, one module a chapter."""

from . import cost, effect, entry, fence, history, settle, wake

CASES = (*entry.CASES, *fence.CASES, *history.CASES, *effect.CASES, *cost.CASES, *settle.CASES, *wake.CASES)
