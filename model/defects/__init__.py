"""The model's own mutants: each breaks one thing, and names the rules that must notice."""

from . import bounds, cancel, continuation, cost, effect, entry, fence, findings, history, payloads, recovering, settle
from .defect import DEFECTS, Defect

__all__ = [
    "DEFECTS",
    "Defect",
    "bounds",
    "cancel",
    "continuation",
    "cost",
    "effect",
    "entry",
    "fence",
    "findings",
    "history",
    "payloads",
    "recovering",
    "settle",
]
