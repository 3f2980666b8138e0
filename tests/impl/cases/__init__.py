"""Refusals, one line a case: the run so far, the command, what is different in it from one that is done, the reason."""

from . import approvals, calls, lifecycle, stores, waits
from .case import Case

CASES: list[Case] = [
    *lifecycle.CASES,
    *calls.CASES,
    *waits.CASES,
    *approvals.CASES,
    *stores.CASES,
]

__all__ = ["CASES", "Case"]
