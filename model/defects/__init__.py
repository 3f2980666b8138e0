"""The model's own mutants: each breaks one thing, and names the rules that must notice."""

from . import cost, effect, entry, fence, history, settle
from .defect import DEFECTS, Defect

__all__ = ["DEFECTS", "Defect", "cost", "effect", "entry", "fence", "history", "settle"]
