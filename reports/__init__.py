"""What the evidence says, told: a page for people, JUnit XML for dashboards, JSON for programs."""

from .summary import Summary, summarize
from .write import FORMATS, UnknownFormatError, write

__all__ = ["FORMATS", "Summary", "UnknownFormatError", "summarize", "write"]
