"""The model's own mutants: each breaks one thing, and names the rules that must notice."""

from . import approval, arrivals, cost, effect, entry, fence, history, settle, tenant, version, wake
from .defect import DEFECTS, Defect

__all__ = [
    "DEFECTS",
    "Defect",
    "approval",
    "arrivals",
    "cost",
    "effect",
    "entry",
    "fence",
    "history",
    "settle",
    "tenant",
    "version",
    "wake",
]
