"""What all records of evidence have in common."""

from pydantic import BaseModel, ConfigDict


class EvidenceRecord(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)  # most commands read and write none
