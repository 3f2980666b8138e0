"""Writing reports beside the evidence they are made from. The same evidence gives the same bytes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from keepfact.conformance.errors import KeepfactError
from keepfact.spec.book import BOOK, Book

from . import html, intoto, json_report, junit, markdown, sarif
from .summary import Summary, summarize


class UnknownFormatError(KeepfactError):
    """There is no report of this name; the message says which there are."""


@dataclass(frozen=True, slots=True)
class Format:
    """A report: the name of its file and how it is made."""

    file_name: str
    render: Callable[[Summary], str]


FORMATS = {
    "html": Format("report.html", html.render),
    "junit": Format("junit.xml", junit.render),
    "json": Format("report.json", json_report.render),
    "markdown": Format("report.md", markdown.render),
    "sarif": Format("report.sarif", sarif.render),
    "intoto": Format("statement.json", intoto.render),
}


def write(
    directory: Path, formats: Sequence[str] = tuple(FORMATS), book: Book = BOOK, *, out: Path | None = None
) -> list[Path]:
    """Write these reports into the evidence directory, or into `out`, and say where.

    Nothing is written when a name is unknown. Write them before the manifest is sealed, which then covers them too.
    """
    unknown = [name for name in formats if name not in FORMATS]
    if unknown:
        raise UnknownFormatError(
            f"expected a report format, one of {', '.join(FORMATS)}, but got {', '.join(map(repr, unknown))}. "
            "Give one or more of these."
        )
    summary = summarize(directory, book)
    return [_write(out or directory, FORMATS[name], summary) for name in dict.fromkeys(formats)]


def sign_statement(directory: Path, sign: Callable[[bytes], bytes], key_id: str) -> Path | None:
    """Put the statement that stands in this directory into an envelope beside it; None if there is none."""
    statement, path = directory / FORMATS["intoto"].file_name, directory / intoto.ENVELOPE
    if not statement.is_file():
        return None
    try:
        path.write_text(intoto.envelope(statement.read_text(encoding="utf-8"), sign, key_id), encoding="utf-8")
    except OSError as error:
        raise KeepfactError(f"expected to write {path}, but: {error.strerror}. Nothing is signed.") from error
    return path


def _write(directory: Path, form: Format, summary: Summary) -> Path:
    path = directory / form.file_name
    try:
        directory.mkdir(parents=True, exist_ok=True)
        path.write_bytes(form.render(summary).encode())
    except OSError as error:
        raise KeepfactError(f"expected to write {path}, but: {error.strerror}. Give another --out.") from error
    return path
