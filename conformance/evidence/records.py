"""Records of what happened in a run, and all kinds of records together: a line of JSON each, told apart by `kind`."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter

from keepfact.conformance.verdicts import Verdict
from keepfact.spec.named import NamedCause, NamedOutcome
from keepfact.spec.vocabulary import (
    BundleView,
    Capability,
    Contract,
    InForce,
    Observation,
    PayloadView,
    ReaderView,
    RunId,
    RunView,
    Session,
    Truth,
)

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
from .record import EvidenceRecord


class Header(EvidenceRecord):
    """First line: what ran, on what, with which book. Times are UTC in ISO 8601."""

    kind: Literal["header"] = "header"
    kit_version: str
    command: str
    profile: str
    seed: int
    system: str
    contracts: tuple[Contract, ...]
    capabilities: tuple[Capability, ...]
    lease_seconds: int
    versions: dict[str, str]
    machine: dict[str, str]
    book_digest: str
    started_at: str


class PartRecord(EvidenceRecord):
    """A part of the run begins: lockstep, meetings, or an experiment. What follows belongs to it, up to the next.

    In one that is `played` the harness itself plays the outside, so that rules about servers there are not judged.
    """

    kind: Literal["part"] = "part"
    name: str
    played: bool


class StepRecord(EvidenceRecord):
    """One step of a trace. `runs` holds the runs that changed, each history only from event `history_from` on.

    `gone` are runs that were there before and no longer are. `truth` and everything after it is None when it did not
    change; `served` is the oldest and the newest version of tables. `session` is who asked, where that is known.
    """

    kind: Literal["step"] = "step"
    trace: str
    number: int
    cause: NamedCause
    outcome: NamedOutcome | None
    runs: tuple[RunView, ...]
    history_from: dict[RunId, int]
    gone: tuple[RunId, ...] = ()
    truth: Truth | None = None
    bundles: tuple[BundleView, ...] | None = None
    served: tuple[int, int] | None = None
    in_force: InForce | None = None
    readers: tuple[ReaderView, ...] | None = None
    payloads: tuple[PayloadView, ...] | None = None
    session: Session | None = None


class ShownRecord(EvidenceRecord):
    """What was there before the next step of a trace, since from here on more runs are looked at; itself no step."""

    kind: Literal["shown"] = "shown"
    trace: str
    observed: Observation


class ExpectationRecord(EvidenceRecord):
    """Something that was judged otherwise than by a rule on one step: a whole story, commands that met, or the step
    that the model cannot explain; then the rule is MODEL. It counts for the rule, or against it.
    """

    kind: Literal["expectation"] = "expectation"
    rule: str
    trace: str
    holds: bool
    expected: str
    seen: str


class FaultRecord(EvidenceRecord):
    """A fault of an experiment: where it was meant to strike and whether it was delivered there."""

    kind: Literal["fault"] = "fault"
    experiment: str
    trace: str
    seam: str
    side: str
    delivered: bool
    proof: str


class MarkRecord(EvidenceRecord):
    """Something worth a mark on the timeline of a trace; `at_ms` counts from the start of the trace.

    `shape`: seam, request, answer, kill, commit, refused, recovery, evidence, end. `lane`: worker, database, model,
    tool, recovery.
    """

    kind: Literal["mark"] = "mark"
    trace: str
    lane: str
    at_ms: int
    shape: str
    text: str


class WrittenRecord(EvidenceRecord):
    """What the write-ahead log shows of an experiment: for each entry point that signed, how often it did what to which
    table, as `insert runs`; `unknown` stands for whoever did not sign. What the harness itself wrote is counted apart.

    `objections` say which transactions the authority table does not allow: of `judged` ones it allows all but
    `objected`, of which the first are told. The verdict is on them alone, and NOT_APPLICABLE where the log cannot be
    read or nobody signs in it; `note` says why.
    """

    kind: Literal["written"] = "written"
    experiment: str
    transactions: int
    of_the_harness: int
    rows: dict[str, dict[str, int]]
    judged: int = 0
    objected: int = 0
    objections: tuple[str, ...] = ()
    verdict: Verdict
    note: str = ""


class AskedRecord(EvidenceRecord):
    """A command that was under way with others: from one moment to another, as whoever directed them counted."""

    cause: NamedCause
    outcome: NamedOutcome
    sent: int
    answered: int
    session: Session | None = None


class MeetingRecord(EvidenceRecord):
    """Commands that met after the steps of a trace: who went on when, from which milestone, and what was seen after.

    `explained` says whether some order of them explains it; None where nobody could tell.
    """

    kind: Literal["meeting"] = "meeting"
    trace: str
    schedule: tuple[tuple[int, str], ...]
    asked: tuple[AskedRecord, ...]
    observed: Observation
    explained: bool | None


Record = Annotated[
    Header
    | PartRecord
    | ScopeRecord
    | DefectRecord
    | StepRecord
    | ShownRecord
    | ExpectationRecord
    | FaultRecord
    | MarkRecord
    | WrittenRecord
    | ExperimentRecord
    | LockstepRecord
    | MeetingRecord
    | MeetingsRecord
    | StoryRecord
    | VerdictRecord
    | NotShownRecord
    | Footer,
    Field(discriminator="kind"),
]
RECORDS: TypeAdapter[Record] = TypeAdapter(Record, config=ConfigDict(defer_build=True))
