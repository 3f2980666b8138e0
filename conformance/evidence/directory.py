"""An evidence directory: written as things happen, readable after a crash, sealed by its footer and manifest."""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from typing import Self

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.verdicts import ExitCode, Level, Verdict

from .digests import DIGESTS, line_digest
from .found import Footer
from .manifest import MANIFEST, manifest_of
from .records import RECORDS, Header, Record
from .redacting import Redaction

EVIDENCE = "evidence.ndjson"


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
            self._digests = (directory / DIGESTS).open("wb", buffering=0)
        except OSError as error:
            raise EvidenceError(
                f"expected to write evidence to {directory}, but: {error.strerror}. Give another --out."
            ) from error
        self._whole = hashlib.sha256()
        self._redaction = Redaction()
        self._counts: Counter[str] = Counter()

    def write(self, record: Record) -> None:
        """Append one record."""
        self._append(self._redaction.line(_line(record)))
        self._counts[record.kind] += 1

    def finish(self, verdict: Verdict, level: Level, exit_code: ExitCode) -> None:
        """Write the footer; after it the evidence has a verdict."""
        footer = Footer(
            counts=dict(self._counts),
            digest=self._whole.hexdigest(),
            verdict=verdict,
            level=level,
            exit_code=exit_code,
            finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        self._append(footer.model_dump_json().encode() + b"\n")
        os.fsync(self._file.fileno())
        os.fsync(self._digests.fileno())

    def seal(self) -> None:
        """Write the manifest: SHA-256 of every file, reports and replays included."""
        manifest = self.directory / MANIFEST
        try:
            manifest.write_bytes(manifest_of(self.directory).text())
        except OSError as error:
            raise EvidenceError(
                f"expected to write {manifest}, but: {error.strerror}. The evidence is whole, but nothing vouches for "
                "its files. Make room or give another --out."
            ) from error

    def close(self) -> None:
        self._file.close()
        self._digests.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _append(self, line: bytes) -> None:
        try:
            _write(self._file, line)
            _write(self._digests, f"{line_digest(line)}\n".encode())
            self._whole.update(line)
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
                    yield record_on(line)
                except ValueError as error:
                    raise EvidenceError(
                        f"expected a record on line {number} of {self.directory / EVIDENCE}, but: "
                        f"{what_is_wrong(error)}. The file was changed, or written by another version."
                    ) from error

    def header(self) -> Header:
        """The first record."""
        first = next(iter(self), None)
        if not isinstance(first, Header):
            raise EvidenceError(f"expected a header first in {self.directory / EVIDENCE}, but there is none.")
        return first


def what_is_wrong(error: ValueError) -> str:
    """Why there is no record on a line, in few words."""
    return error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)


def _write(file: FileIO, line: bytes) -> None:
    while line:
        line = line[file.write(line) :]


def _line(record: Record) -> bytes:
    """A record in UTF-8. Half a character, as a system must be able to refuse it, stands escaped there."""
    try:
        return record.model_dump_json().encode() + b"\n"
    except PydanticSerializationError:
        return json.dumps(record.model_dump(mode="json")).encode() + b"\n"


def record_on(line: bytes) -> Record:
    """The record on a line. ValueError if there is none: pydantic's where the line is JSON, or nearly so."""
    try:
        return RECORDS.validate_python(json.loads(line)) if b"\\ud" in line else RECORDS.validate_json(line)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
