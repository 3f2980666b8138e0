"""Judges exported histories, without any system: what it keeps of its runs, or every step that was taken with it."""

from .checked import Checked, check_file
from .lines import HistoryError

__all__ = ["Checked", "HistoryError", "check_file"]
