"""An evidence directory: written as things happen, readable after a crash, sealed by its footer and manifest."""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.verdicts import ExitCode, Level, Verdict

from .records import RECORDS, Footer, Header, Record

EVIDENCE = "evidence.ndjson"
MANIFEST = "manifest.json"


class EvidenceError(KeepfactError):
    """The directory cannot be used; the message says what was expected, what was seen and what to do."""


class EvidenceWriter:
    """Writes records into a new or empty directory; each is on disk before the next thing happens."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        try:
            directory.mkdir(parents=True, exist_ok=True)
            if any(directory.iterdir()):
                raise EvidenceError(
                    f"expected a new or empty directory for the evidence, but {directory} has files in it; "
                    "nothing there was touched. Give another --out, or remove it."
                )
            self._file = (directory / EVIDENCE).open("wb", buffering=0)
        except OSError as error:
            raise EvidenceError(
                f"expected to write evidence to {directory}, but: {error.strerror}. Give another --out."
            ) from error
        self._digest = hashlib.sha256()
        self._counts: Counter[str] = Counter()

    def write(self, record: Record) -> None:
        """Append one record."""
        line = _line(record)
        self._append(line)
        self._digest.update(line)
        self._counts[record.kind] += 1

    def finish(self, verdict: Verdict, level: Level, exit_code: ExitCode) -> None:
        """Write the footer; after it the evidence has a verdict."""
        footer = Footer(
            counts=dict(self._counts),
            digest=self._digest.hexdigest(),
            verdict=verdict,
            level=level,
            exit_code=exit_code,
            finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        self._append(footer.model_dump_json().encode() + b"\n")
        os.fsync(self._file.fileno())

    def seal(self) -> None:
        """Write the manifest: SHA-256 of every file, reports and replays included."""
        manifest = self.directory / MANIFEST
        try:
            files = sorted(path for path in self.directory.rglob("*") if path.is_file() and path != manifest)
            digests = {path.relative_to(self.directory).as_posix(): _file_digest(path) for path in files}
            manifest.write_text(json.dumps({"sha256": digests}, indent=2) + "\n")
        except OSError as error:
            raise EvidenceError(
                f"expected to write {manifest}, but: {error.strerror}. The evidence is whole, but nothing vouches for "
                "its files. Make room or give another --out."
            ) from error

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _append(self, line: bytes) -> None:
        try:
            while line:
                line = line[self._file.write(line) :]
        except OSError as error:
            raise EvidenceError(
                f"expected to go on writing evidence to {self.directory}, but: {error.strerror}. "
                "What is there can be read, but has no footer and so no verdict. Make room or give another --out."
            ) from error


class EvidenceReader:
    """Reads a directory back, record by record."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        if not (directory / EVIDENCE).is_file():
            raise EvidenceError(
                f"expected an evidence directory with {EVIDENCE}, but {directory} has none. "
                "Give the directory that `keepfact verify --out` wrote."
            )

    def __iter__(self) -> Iterator[Record]:
        """Every record in order. A last line that was cut off by a crash is left out."""
        with (self.directory / EVIDENCE).open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if not line.endswith(b"\n"):
                    return
                try:
                    yield _record(line)
                except ValidationError as error:
                    raise EvidenceError(
                        f"expected a record on line {number} of {self.directory / EVIDENCE}, but: "
                        f"{error.errors()[0]['msg']}. The file was changed, or written by another version."
                    ) from error

    def header(self) -> Header:
        """The first record."""
        first = next(iter(self), None)
        if not isinstance(first, Header):
            raise EvidenceError(f"expected a header first in {self.directory / EVIDENCE}, but there is none.")
        return first


def _line(record: Record) -> bytes:
    """A record in UTF-8. Half a character, as a system must be able to refuse it, stands escaped there."""
    try:
        return record.model_dump_json().encode() + b"\n"
    except PydanticSerializationError:
        return json.dumps(record.model_dump(mode="json")).encode() + b"\n"


def _record(line: bytes) -> Record:
    return RECORDS.validate_python(json.loads(line)) if b"\\ud" in line else RECORDS.validate_json(line)


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
