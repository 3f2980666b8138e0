"""Judges what a run left behind, years later and without the system: is it unaltered, and does it show what it says."""

from .audit import Audit, audit
from .finding import Difference, Finding

__all__ = ["Audit", "Difference", "Finding", "audit"]
