"""What the evidence says, told: to people, to dashboards, to programs, and to whoever collects statements."""

from .compare import IS_WORSE, compare
from .summary import Summary, summarize
from .write import FORMATS, UnknownFormatError, sign_statement, write

__all__ = ["FORMATS", "IS_WORSE", "Summary", "UnknownFormatError", "compare", "sign_statement", "summarize", "write"]
