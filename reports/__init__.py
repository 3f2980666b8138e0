"""What the evidence says, told: to people, to dashboards, to programs, and to whoever collects statements."""

from .summary import Summary, summarize
from .write import FORMATS, UnknownFormatError, sign_statement, write

__all__ = ["FORMATS", "Summary", "UnknownFormatError", "sign_statement", "summarize", "write"]
