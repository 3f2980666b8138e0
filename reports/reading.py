"""Reading an evidence directory once, and whether what was read is what was written."""

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from keepfact.conformance.evidence import EvidenceReader, Footer, Header, Record, StepRecord
from keepfact.conformance.evidence.directory import EVIDENCE


class Standing(StrEnum):
    """Complete: the footer is there and fits. Cut off: there is none. Altered: it does not fit what stands before."""

    COMPLETE = "complete"
    CUT_OFF = "cut_off"
    ALTERED = "altered"


@dataclass(frozen=True, slots=True)
class Reading:
    """The records without the steps, which are only counted: reports tell of rules, not of single steps."""

    header: Header
    footer: Footer | None
    standing: Standing
    records: tuple[Record, ...]
    steps: int


def read(directory: Path) -> Reading:
    """Read every record once; raises EvidenceError when there is no header or a line is no record."""
    reader = EvidenceReader(directory)
    header = reader.header()
    records: list[Record] = []
    steps = 0
    for record in reader:
        if isinstance(record, StepRecord):
            steps += 1
        else:
            records.append(record)
    footer = next((record for record in reversed(records) if isinstance(record, Footer)), None)
    return Reading(header, footer, _standing(directory, footer), tuple(records), steps)


def _standing(directory: Path, footer: Footer | None) -> Standing:
    if footer is None:
        return Standing.CUT_OFF
    return Standing.COMPLETE if footer.digest == _digest_before_last_line(directory) else Standing.ALTERED


def _digest_before_last_line(directory: Path) -> str:
    """Whatever stands after the footer makes the footer part of what is digested, and so shows."""
    digest, last = hashlib.sha256(), b""
    with (directory / EVIDENCE).open("rb") as lines:
        for line in lines:
            digest.update(last)
            last = line
    return digest.hexdigest()
