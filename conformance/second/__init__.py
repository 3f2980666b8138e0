"""A second checker of the same rules, over exported histories. It shares no code with the first, nor its way to work.

It reads plain JSON, keeps its own account of what was granted, intended, decided and delivered, and complains with the
id of the rule where what a system shows cannot be squared with that account.
"""

from .check import JUDGED_OF_A_STATE, NOT_JUDGED, Checker, check, check_state
from .complaint import Complaint
from .export import exported

__all__ = ["JUDGED_OF_A_STATE", "NOT_JUDGED", "Checker", "Complaint", "check", "check_state", "exported"]
