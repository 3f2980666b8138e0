"""Writes `spec/REFUTED.md`: each plausible, false rule with the shortest counterexample that the explorer finds.

`python -m keepfact.conformance.refuted` writes the page; with `--check` it says whether the page is what it should be.
"""

import sys
from functools import partial
from pathlib import Path

from keepfact.model.explore import Exploration, explore
from keepfact.model.scopes import SCOPES
from keepfact.spec import refuted
from keepfact.spec.chapter import Rule

from .story import tell_path

PAGE = Path(refuted.__file__).with_name("REFUTED.md")
_HEAD = """# Refuted rules

Plausible sentences that are false, each with the shortest counterexample in the model. Made from `spec/refuted.py` by
`python -m keepfact.conformance.refuted`; do not edit it by hand.
"""


def page() -> str:
    """The page as it should be. A rule that is not refuted in any scope has no place on it, and is an error."""
    rules = refuted.chapter.rules
    shortest: dict[str, str] = {}
    for scope in sorted(SCOPES, key=lambda scope: scope.edges):
        missing = [rule for rule in rules if rule.id not in shortest]
        found = explore(scope, rules=missing, stop_at=partial(_has_broken, len(missing)))
        shortest |= {rule.id: _refutation(rule, found) for rule in missing if rule.id in found.broken}
    believed = [rule.id for rule in rules if rule.id not in shortest]
    if believed:
        raise AssertionError(f"expected every rule to be refuted, but none of the scopes refutes {', '.join(believed)}")
    return "\n".join([_HEAD, *(shortest[rule.id] for rule in rules)])


def _has_broken(number: int, found: Exploration) -> bool:
    return len(found.broken) == number


def _refutation(rule: Rule, found: Exploration) -> str:
    story = tell_path(rule.id, rule.sentence, found.broken[rule.id].path)
    lines = "\n".join(f"{number}. {line}" for number, line in enumerate(story.lines, 1))
    return f"## {rule.number}. {rule.sentence}\n\nFalse, in the scope {found.scope.name}:\n\n{lines}\n"


def main() -> None:
    """Write the page, or check it."""
    wanted = page()
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(wanted)
        print(f"wrote {PAGE.name}")
    elif not PAGE.is_file() or PAGE.read_text() != wanted:
        sys.exit(
            f"expected {PAGE.name} to be what spec/refuted.py and the model say, but it is not. "
            "Run `python -m keepfact.conformance.refuted` and look at the difference."
        )


if __name__ == "__main__":
    main()
