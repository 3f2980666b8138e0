"""The model's own mutants: each breaks one thing, and names the rules that must notice."""

from . import (
    approval,
    arrivals,
    bounds,
    cancel,
    continuation,
    cost,
    effect,
    entry,
    fence,
    findings,
    history,
    payloads,
    recovering,
    settle,
    tenant,
    version,
    wake,
)
from .defect import DEFECTS, Defect

__all__ = [
    "DEFECTS",
    "Defect",
    "approval",
    "arrivals",
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
    "tenant",
    "version",
    "wake",
]
