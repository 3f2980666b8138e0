"""What was seen, written as it happens, and read back later without the system."""

from .directory import EvidenceError, EvidenceReader, EvidenceWriter
from .found import (
    DefectRecord,
    ExperimentRecord,
    Footer,
    LockstepRecord,
    MeetingsRecord,
    NotShownRecord,
    ScopeRecord,
    StoryRecord,
    VerdictRecord,
)
from .records import (
    AskedRecord,
    ExpectationRecord,
    FaultRecord,
    Header,
    MarkRecord,
    MeetingRecord,
    PartRecord,
    Record,
    ShownRecord,
    StepRecord,
    WrittenRecord,
)
from .steps import record_of, steps

__all__ = [
    "AskedRecord",
    "DefectRecord",
    "EvidenceError",
    "EvidenceReader",
    "EvidenceWriter",
    "ExpectationRecord",
    "ExperimentRecord",
    "FaultRecord",
    "Footer",
    "Header",
    "LockstepRecord",
    "MarkRecord",
    "MeetingRecord",
    "MeetingsRecord",
    "NotShownRecord",
    "PartRecord",
    "Record",
    "ScopeRecord",
    "ShownRecord",
    "StepRecord",
    "StoryRecord",
    "VerdictRecord",
    "WrittenRecord",
    "record_of",
    "steps",
]
