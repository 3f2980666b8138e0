"""The model's own mutants: each breaks one thing, and names the rules that must notice."""

from . import cancel, continuation, cost, effect, entry, fence, findings, history, settle
from .defect import DEFECTS, Defect

__all__ = [
    "DEFECTS",
    "Defect",
    "cancel",
    "continuation",
    "cost",
    "effect",
    "entry",
    "fence",
    "findings",
    "history",
    "settle",
]
