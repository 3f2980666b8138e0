"""Check a history in a file: `python -m keepfact.conformance.second FILE`, one exported step a line, as JSON.

Ends with 0 when nothing is wrong, 1 when something is, 2 when the file cannot be read as a history.
"""

import json
import sys
from pathlib import Path
from typing import Any

from keepfact.conformance.errors import KeepfactError

from .check import check

_PARTS = {"before", "cause", "outcome", "after", "truth_before", "truth", "repeats", "session"}


def main(arguments: list[str]) -> int:
    """The exit code; complaints go to standard output, one a line."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(
            "expected one FILE with an exported step on each line, as in `python -m keepfact.conformance.second FILE`",
            file=sys.stderr,
        )
        return 2
    try:
        steps = read(Path(arguments[0]))
        complaints = check(steps)
    except KeepfactError as error:
        print(f"keepfact: {error}", file=sys.stderr)
        return 2
    for complaint in complaints:
        print(f"step {complaint.step}: {complaint.rule}: {complaint.sentence}")
    print(f"{len(steps)} steps, {len(complaints)} complaints")
    return 1 if complaints else 0


def read(path: Path) -> list[dict[str, Any]]:
    """The steps of a file, in order."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        what = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        raise KeepfactError(f"expected a history in {path}, but: {what}. Give a file of exported steps.") from error
    steps = [_step(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not steps:
        raise KeepfactError(f"expected at least one step in {path}, but it has none: of nothing nothing can be said.")
    return steps


def _step(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        step = json.loads(line)
    except ValueError as error:
        raise KeepfactError(
            f"expected JSON on line {number} of {path}, but: {error}. Give one exported step a line."
        ) from error
    missing = _PARTS - step.keys() if isinstance(step, dict) else _PARTS
    if missing:
        raise KeepfactError(
            f"expected a step on line {number} of {path}, but it has no {', '.join(sorted(missing))}. "
            "Write it with `keepfact.conformance.second.exported`."
        )
    return dict(step)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
