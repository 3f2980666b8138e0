"""What a case is."""

from keepfact.impl.prepared import Value

from ..stages import Stage

Case = tuple[Stage, str, dict[str, Value], str]
"""The stage, the command, the fields that differ from those in `SUCCESSES`, and the reason it is refused for."""
