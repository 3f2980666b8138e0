"""Writes RULES.md from the book: `python -m keepfact.spec.publish`, and with `--check` says whether it is stale."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from keepfact.spec.book import BOOK, Book
from keepfact.spec.chapter import BOTH, Chapter, Rule
from keepfact.spec.entry_points import MAY_WRITE, RULE_OF
from keepfact.spec.vocabulary import EventType

RULES = Path(__file__).resolve().with_name("RULES.md")


def main(arguments: list[str] | None = None, rules: Path = RULES) -> int:
    """Write the page, or only check it; 1 when it says something else than the book."""
    parser = argparse.ArgumentParser(prog="python -m keepfact.spec.publish", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if the page is stale")
    if not parser.parse_args(arguments).check:
        rules.write_text(page(BOOK), encoding="utf-8")
        print(f"{len(BOOK.rules)} rules written to {rules}")
        return 0
    if rules.exists() and rules.read_text(encoding="utf-8") == page(BOOK):
        return 0
    print(
        f"expected {rules} to say what the book says (digest {BOOK.digest[:12]}), but it is stale. "
        "Run `python -m keepfact.spec.publish`, and say in spec/CHANGES.md what changed in meaning.",
        file=sys.stderr,
    )
    return 1


def page(book: Book) -> str:
    """The whole page. The same book always gives the same text."""
    return "\n".join(_lines(book)) + "\n"


def _lines(book: Book) -> Iterator[str]:
    yield "# The rules"
    yield ""
    yield "Generated from the book by `python -m keepfact.spec.publish`; change the rules, not this page."
    yield f"{len(book.rules)} rules in {len(book.chapters)} chapters; digest of the book `{book.digest[:12]}`."
    yield ""
    yield "Each rule has an id that is never reused, its sentence, its name, the contracts it belongs to, what a system"
    yield "must offer for it to apply, its kind, the property of the published Resume Contract that it implies, if any,"
    yield "and the digest of its sentence."
    for chapter in book.chapters:
        yield from _chapter(chapter, book)
    yield from _authority()
    yield from _refusals(book)


def _chapter(chapter: Chapter, book: Book) -> Iterator[str]:
    yield ""
    yield f"## {chapter.name}: {chapter.title}"
    for rule in book.rules:
        if rule.chapter == chapter.name:
            yield ""
            yield f"### {rule.id}"
            yield ""
            yield rule.sentence
            yield ""
            yield _small_print(rule)


def _small_print(rule: Rule) -> str:
    contracts = "both contracts" if rule.contracts == BOTH else f"only {' and '.join(sorted(rule.contracts))}"
    implies = f"implies {rule.implies.name.replace('_', ' ').lower()} ({rule.implies})" if rule.implies else ""
    judged = "judged only where servers outside keep the truth" if rule.needs_world else ""
    needs = f"for systems that offer {' or '.join(sorted(rule.needs))}" if rule.needs else ""
    facts = [f"`{rule.name}`", contracts, needs, rule.kind.value, judged, implies, f"`{rule.digest}`"]
    return " · ".join(fact for fact in facts if fact)


def _authority() -> Iterator[str]:
    yield ""
    yield "## Who may write which events"
    yield ""
    yield "| entry point | may write |"
    yield "| --- | --- |"
    for entry_point, types in MAY_WRITE.items():
        yield f"| {entry_point} | {', '.join(type_ for type_ in EventType if type_ in types) or 'nothing'} |"


def _refusals(book: Book) -> Iterator[str]:
    yield ""
    yield "## Why a command may be refused"
    yield ""
    yield "| reason | rule |"
    yield "| --- | --- |"
    for reason, rule_id in RULE_OF.items():
        yield f"| `{reason}` | {rule_id} `{book.rule(rule_id).name}` |"


if __name__ == "__main__":
    sys.exit(main())
