"""One audit, from the files to the verdict."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from keepfact.conformance.concluding import Conclusion
from keepfact.conformance.evidence import EvidenceReader, Footer, Header, VerdictRecord
from keepfact.conformance.evidence.manifest import read_manifest
from keepfact.conformance.verdicts import ExitCode, Level, Verdict, worst
from keepfact.spec.book import BOOK, Book

from .files import check_files
from .finding import FINDINGS_MAX, Difference, Finding
from .judging import Bench
from .lines import Lines
from .signing import Signature, signature_of

NOTHING_CONCLUDED = Conclusion(Verdict.INCONCLUSIVE, Level.NONE, ExitCode.INCONCLUSIVE, ())


@dataclass(frozen=True, slots=True)
class Audit:
    """What came of it. `conclusion` is what the evidence shows as judged today; it counts only without `findings`.

    `suspects` are rules whose text is another today, with the reason; `broken` says where each broken rule was first
    seen to be. `files` are those the manifest names, `lines` those of the evidence.
    """

    directory: Path
    header: Header | None
    footer: Footer | None
    findings: tuple[Finding, ...]
    differences: tuple[Difference, ...]
    suspects: dict[str, str]
    broken: dict[str, str]
    conclusion: Conclusion
    signature: Signature
    steps: int
    files: int = 0
    lines: int = 0

    @property
    def is_of_this_version(self) -> bool:
        """Written by this version of keepfact, whose rules must come to the same."""
        return self.header is not None and self.header.kit_version == version("keepfact")

    @property
    def exit_code(self) -> ExitCode:
        """Evidence that is not as it was written, or that says what its own steps do not show, has no verdict."""
        if self.findings or (self.differences and self.is_of_this_version):
            return ExitCode.BROKEN
        return self.conclusion.exit_code


def audit(
    directory: Path,
    public_key: Path | None = None,
    book: Book = BOOK,
    progress: Callable[[int], None] = lambda _: None,
) -> Audit:
    """Check the files, the lines and the signature, and judge every step again.

    `progress` is told of lines. Raises EvidenceError if there is no evidence, KeepfactError if the key is none.
    """
    EvidenceReader(directory)
    signature = signature_of(directory, public_key)
    files = check_files(directory)
    lines = Lines(directory)
    bench, number = None, 0
    for number, record in lines:
        if isinstance(record, Header) and bench is None:
            bench = Bench(directory, book, record, lines.find, lines.find_in)
        elif bench is not None:
            bench.take(number, record)
        progress(number)
    findings = (*(Finding(signature.file, None, what) for what in signature.findings), *files, *lines.findings)
    if bench is None:
        return Audit(directory, None, None, findings, (), {}, {}, NOTHING_CONCLUDED, signature, 0)
    suspects = dict(_suspects(bench.said, book))
    conclusion = _conclude(bench, suspects, lines.footer)
    return Audit(
        directory,
        bench.header,
        lines.footer,
        findings,
        tuple(_differences(bench, suspects, conclusion, lines.footer))[:FINDINGS_MAX],
        suspects,
        bench.broken_first,
        conclusion,
        signature,
        bench.steps,
        0 if files else len(read_manifest(directory).sha256),
        number,
    )


def _suspects(said: dict[str, VerdictRecord], book: Book) -> Iterator[tuple[str, str]]:
    """Rules of the run that are not those of the book any more."""
    today = {rule.id: rule for rule in book.rules}
    for rule, record in said.items():
        if rule not in today:
            yield rule, "the book of today has no rule of this id"
        elif today[rule].digest != record.digest:
            yield rule, f"the rule was reworded since; today it says: {today[rule].sentence}"


def _conclude(bench: Bench, suspects: dict[str, str], footer: Footer | None) -> Conclusion:
    """The run's own rules, judged again. What rests on a rule that is not the same any more is inconclusive at best;
    and so is all of it without a footer.
    """
    found = bench.found()
    conclusion = found.conclude(rule for rule in bench.book.rules if rule.id in bench.said)
    records = [
        record
        if record.rule not in suspects
        else record.model_copy(
            update={"verdict": worst([record.verdict, Verdict.INCONCLUSIVE]), "reason": suspects[record.rule]}
        )
        for record in conclusion.rules
    ]
    known = {record.rule for record in records}
    records += [
        record.model_copy(update={"verdict": Verdict.INCONCLUSIVE, "reason": suspects[rule]})
        for rule, record in bench.said.items()
        if rule not in known
    ]
    concluded = found.total(records)
    if footer is None:
        return Conclusion(Verdict.INCONCLUSIVE, Level.NONE, ExitCode.INCONCLUSIVE, concluded.rules)
    return concluded


def _differences(
    bench: Bench, suspects: dict[str, str], conclusion: Conclusion, footer: Footer | None
) -> Iterator[Difference]:
    """Where the run said otherwise. Of suspect rules nobody can know what the run should have said."""
    yield from bench.differences
    for record in conclusion.rules:
        if record.rule in suspects:
            continue
        if record.rule not in bench.said:
            if footer is not None:
                yield Difference(record.rule, "nothing", record.verdict)
            continue
        told = ("verdict", "exercised", "violations", "caught", "sentence", "chapter")
        yield from _unlike(record.rule, bench.said[record.rule], record, told)
    if footer is not None and not suspects:
        yield from _unlike("the whole", footer, conclusion, ("verdict", "level", "exit_code"))


def _unlike(about: str, said: object, found: object, names: Iterable[str]) -> Iterator[Difference]:
    for name in names:
        before, after = getattr(said, name), getattr(found, name)
        if before != after:
            place = about if name == "verdict" else f"{about}, {name.replace('_', ' ')}"
            yield Difference(place, _told(before), _told(after))


def _told(value: object) -> str:
    match value:
        case ExitCode():
            return str(int(value))
        case dict():
            return ", ".join(f"{name}: {number}" for name, number in value.items()) or "never"
        case tuple():
            return ", ".join(map(str, value)) or "nothing"
        case _:
            return str(value)
