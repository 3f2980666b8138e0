"""Writing reports beside the evidence they are made from. The same evidence gives the same bytes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from keepfact.conformance.errors import KeepfactError
from keepfact.spec.book import BOOK, Book

from . import html, intoto, json_report, junit, markdown, sarif
from .languages import CHINESE, ENGLISH
from .summary import Summary, summarize


class UnknownFormatError(KeepfactError):
    """There is no report of this name; the message says which there are."""


@dataclass(frozen=True, slots=True)
class Format:
    """A report: the name of its file and how it is made."""

    file_name: str
    render: Callable[[Summary], str]


FORMATS = {
    "html": Format(html.FILE_NAMES[ENGLISH], html.render),
    "junit": Format("junit.xml", junit.render),
    "json": Format("report.json", json_report.render),
    "markdown": Format("report.md", markdown.render),
    "sarif": Format("report.sarif", sarif.render),
    "intoto": Format("statement.json", intoto.render),
}
TRANSLATED: dict[str, dict[str, Format]] = {
    ENGLISH: {},
    CHINESE: {"html": Format(html.FILE_NAMES[CHINESE], lambda summary: html.render(summary, CHINESE))},
}
"""Formats that have a file of its own in each language. What is for programs has one, in English."""


def write(
    directory: Path,
    formats: Sequence[str] = tuple(FORMATS),
    book: Book = BOOK,
    *,
    out: Path | None = None,
    languages: Sequence[str] = tuple(TRANSLATED),
) -> list[Path]:
    """Write these reports, in these languages where there are several, into the evidence directory or into `out`.

    Nothing is written when a name is unknown. Write them before the manifest is sealed, which then covers them too.
    """
    unknown = [name for name in formats if name not in FORMATS]
    if unknown:
        raise UnknownFormatError(
            f"expected a report format, one of {', '.join(FORMATS)}, but got {', '.join(map(repr, unknown))}. "
            "Give one or more of these."
        )
    spoken = [code for code in languages if code not in TRANSLATED]
    if spoken or not languages:
        raise UnknownFormatError(
            f"expected a language, {' or '.join(TRANSLATED)}, but got {', '.join(map(repr, spoken)) or 'none'}. "
            "Give one or both of these."
        )
    summary = summarize(directory, book)
    return [_write(out or directory, form, summary) for form in _in_languages(dict.fromkeys(formats), languages)]


def _in_languages(names: Iterable[str], languages: Sequence[str]) -> Iterator[Format]:
    """Each format, once if it speaks no language, else once for each."""
    for name in names:
        translated = [TRANSLATED[code][name] for code in dict.fromkeys(languages) if name in TRANSLATED[code]]
        if ENGLISH in languages or not any(name in forms for forms in TRANSLATED.values()):
            yield FORMATS[name]
        yield from translated


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
