"""The report as JSON, for programs: the whole summary under stable keys, with its schema version."""

import json
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import TypeAdapter

from .summary import Summary

SCHEMA: Literal["keepfact.report/1"] = "keepfact.report/1"


@dataclass(frozen=True, slots=True)
class JsonReport:
    """What the file holds. A key is never given another meaning: then `schema` counts up."""

    schema: Literal["keepfact.report/1"]
    summary: Summary


def render(summary: Summary) -> str:
    """The report; text from outside stands in it unchanged, with everything that is not ASCII escaped."""
    return json.dumps(_REPORT.dump_python(JsonReport(SCHEMA, summary), mode="json"), indent=2) + "\n"


def json_schema() -> dict[str, Any]:
    """The JSON Schema of the report."""
    return _REPORT.json_schema(mode="serialization")


_REPORT = TypeAdapter(JsonReport)
