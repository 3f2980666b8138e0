"""An in-toto statement about the evidence, with a predicate of its own: others know only passed and failed.

It has words for what is unknown, skipped or not exercised. Signed, it travels in a DSSE envelope.
"""

import base64
import json
from collections.abc import Callable
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from keepfact.conformance.evidence.directory import EVIDENCE
from keepfact.conformance.verdicts import Verdict

from .summary import Summary
from .text import visible

STATEMENT_TYPE: Literal["https://in-toto.io/Statement/v1"] = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE: Literal["urn:keepfact:predicate:conformance:1"] = "urn:keepfact:predicate:conformance:1"
PAYLOAD_TYPE = "application/vnd.in-toto+json"
ENVELOPE = "statement.dsse.json"

Result = Literal["holds", "violated", "unknown", "notExercised", "skipped"]
"""`unknown`: nobody could tell. `notExercised`: nothing met its condition. `skipped`: it does not apply."""

RESULTS: dict[Verdict, Result] = {
    Verdict.HOLDS: "holds",
    Verdict.VIOLATED: "violated",
    Verdict.INCONCLUSIVE: "unknown",
    Verdict.NOT_EXERCISED: "notExercised",
    Verdict.NOT_APPLICABLE: "skipped",
}


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)


class Subject(_Part):
    """A file that is spoken of, by its SHA-256."""

    name: str
    digest: dict[Literal["sha256"], str]


class RuleResult(_Part):
    """One rule: which text of it, what came of it, and whether it could have failed. `suspect`: reworded since."""

    id: str
    digest: str
    result: Result
    times_exercised: int
    could_fail: bool
    suspect: bool
    reason: str


class TestedSystem(_Part):
    """What was tested, as it said of itself."""

    name: str
    contracts: tuple[str, ...]
    capabilities: tuple[str, ...]
    versions: dict[str, str]


class Predicate(_Part):
    """What the evidence shows, and what it does not."""

    result: Result
    level: Literal["full", "partial", "none"]
    answer: str
    system: TestedSystem
    kit_version: str
    book_digest: str
    command: str
    seed: int
    started_on: str
    finished_on: str | None
    rules: tuple[RuleResult, ...]
    parts: dict[str, Result]
    not_shown: tuple[str, ...]


class Statement(_Part):
    """An in-toto statement, version 1."""

    type: Literal["https://in-toto.io/Statement/v1"] = Field(alias="_type")
    subject: tuple[Subject, ...]
    predicate_type: Literal["urn:keepfact:predicate:conformance:1"]
    predicate: Predicate


def render(summary: Summary) -> str:
    """The statement, as JSON."""
    statement = Statement(
        type=STATEMENT_TYPE,
        subject=(Subject(name=EVIDENCE, digest={"sha256": summary.digest}),),
        predicate_type=PREDICATE_TYPE,
        predicate=_predicate(summary),
    )
    return json.dumps(statement.model_dump(mode="json", by_alias=True), indent=2) + "\n"


def envelope(statement: str, sign: Callable[[bytes], bytes], key_id: str) -> str:
    """The statement in a DSSE envelope: what is signed says of what kind it is, and cannot be taken for another."""
    payload, kind = statement.encode(), PAYLOAD_TYPE.encode()
    signed = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
    content = {
        "payload": base64.b64encode(payload).decode(),
        "payloadType": PAYLOAD_TYPE,
        "signatures": [{"keyid": key_id, "sig": base64.b64encode(sign(signed)).decode()}],
    }
    return json.dumps(content, indent=2) + "\n"


def json_schema() -> dict[str, Any]:
    """The JSON Schema of the statement, predicate included."""
    return Statement.model_json_schema(mode="serialization")


def _predicate(summary: Summary) -> Predicate:
    header, footer = summary.header, summary.footer
    return Predicate(
        result=RESULTS[summary.verdict],
        level=summary.level.value,
        answer=visible(summary.answer),
        system=TestedSystem(
            name=visible(header.system),
            contracts=header.contracts,
            capabilities=header.capabilities,
            versions={visible(name): visible(number) for name, number in header.versions.items()},
        ),
        kit_version=visible(header.kit_version),
        book_digest=visible(header.book_digest),
        command=visible(header.command),
        seed=header.seed,
        started_on=visible(header.started_at),
        finished_on=visible(footer.finished_at) if footer else None,
        rules=tuple(
            RuleResult(
                id=visible(finding.record.rule),
                digest=visible(finding.record.digest),
                result=RESULTS[finding.verdict],
                times_exercised=finding.times_exercised,
                could_fail=bool(finding.record.caught),
                suspect=finding.suspect,
                reason=visible(" ".join(part for part in (finding.doubt, finding.record.reason) if part)),
            )
            for finding in summary.rules
        ),
        parts={visible(name): RESULTS[verdict] for name, verdict in summary.parts.items()},
        not_shown=tuple(visible(text) for text in summary.not_shown),
    )
