"""What was seen, written as it happens, and read back later without the system."""

from .directory import EvidenceError, EvidenceReader, EvidenceWriter
from .records import (
    AskedRecord,
    DefectRecord,
    ExperimentRecord,
    FaultRecord,
    Footer,
    Header,
    LockstepRecord,
    MarkRecord,
    MeetingRecord,
    MeetingsRecord,
    NotShownRecord,
    Record,
    ScopeRecord,
    StepRecord,
    StoryRecord,
    VerdictRecord,
    WrittenRecord,
)
from .steps import record_of, steps

__all__ = [
    "AskedRecord",
    "DefectRecord",
    "EvidenceError",
    "EvidenceReader",
    "EvidenceWriter",
    "ExperimentRecord",
    "FaultRecord",
    "Footer",
    "Header",
    "LockstepRecord",
    "MarkRecord",
    "MeetingRecord",
    "MeetingsRecord",
    "NotShownRecord",
    "Record",
    "ScopeRecord",
    "StepRecord",
    "StoryRecord",
    "VerdictRecord",
    "WrittenRecord",
    "record_of",
    "steps",
]
