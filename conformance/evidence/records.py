"""The records of an evidence directory, one line of JSON each; `kind` tells them apart."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from keepfact.conformance.verdicts import Level, Verdict
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


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)  # most commands read and write none


class Header(_Record):
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


class PartRecord(_Record):
    """A part of the run begins: lockstep, meetings, or an experiment. What follows belongs to it, up to the next.

    In one that is `played` the harness itself plays the outside, so that rules about servers there are not judged.
    """

    kind: Literal["part"] = "part"
    name: str
    played: bool


class ScopeRecord(_Record):
    """One scope of the model, explored to the last edge. `checked` counts, for each rule, the edges it spoke on."""

    kind: Literal["scope"] = "scope"
    name: str
    bounds: str
    states: int
    edges: int
    pinned_states: int
    pinned_edges: int
    checked: dict[str, int]
    states_without_end: int
    verdict: Verdict


class DefectRecord(_Record):
    """A defect switched on in the model, and the rules that caught it: the proof that they could have failed."""

    kind: Literal["defect"] = "defect"
    name: str
    predicted: tuple[str, ...]
    killed_by: tuple[str, ...]


class StepRecord(_Record):
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


class ShownRecord(_Record):
    """What was there before the next step of a trace, since from here on more runs are looked at; itself no step."""

    kind: Literal["shown"] = "shown"
    trace: str
    observed: Observation


class ExpectationRecord(_Record):
    """Something that was judged otherwise than by a rule on one step: a whole story, commands that met, or the step
    that the model cannot explain; then the rule is MODEL. It counts for the rule, or against it.
    """

    kind: Literal["expectation"] = "expectation"
    rule: str
    trace: str
    holds: bool
    expected: str
    seen: str


class FaultRecord(_Record):
    """A fault of an experiment: where it was meant to strike and whether it was delivered there."""

    kind: Literal["fault"] = "fault"
    experiment: str
    trace: str
    seam: str
    side: str
    delivered: bool
    proof: str


class MarkRecord(_Record):
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


class WrittenRecord(_Record):
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


class ExperimentRecord(_Record):
    """One experiment over all its seams. `not_applicable` says what of it could not be done with this system."""

    kind: Literal["experiment"] = "experiment"
    name: str
    fault: str
    seams: tuple[str, ...]
    runs: int
    delivered: int
    verdict: Verdict
    note: str = ""
    not_applicable: tuple[str, ...] = ()


class LockstepRecord(_Record):
    """The search of a lockstep run: how much was tried, and which outcomes each command had.

    Of the `reachable` classes of the model's edges so many were `covered`; `beyond` these there were others.
    """

    kind: Literal["lockstep"] = "lockstep"
    traces: int
    steps: int
    outcomes: dict[str, dict[str, int]]
    covered: int
    reachable: int
    beyond: int
    verdict: Verdict
    note: str = ""


class AskedRecord(_Record):
    """A command that was under way with others: from one moment to another, as whoever directed them counted."""

    cause: NamedCause
    outcome: NamedOutcome
    sent: int
    answered: int
    session: Session | None = None


class MeetingRecord(_Record):
    """Commands that met after the steps of a trace: who went on when, from which milestone, and what was seen after.

    `explained` says whether some order of them explains it; None where nobody could tell.
    """

    kind: Literal["meeting"] = "meeting"
    trace: str
    schedule: tuple[tuple[int, str], ...]
    asked: tuple[AskedRecord, ...]
    observed: Observation
    explained: bool | None


class MeetingsRecord(_Record):
    """Commands that met: how many of the `known` pairs, and how many triples, in how many ways, the pairs with at most
    `preemptions` each. Then the `races` of many for what must be decided once. `undecided` are those that nobody could
    decide.
    """

    kind: Literal["meetings"] = "meetings"
    known: int
    pairs: int
    triples: int = 0
    meetings: int
    preemptions: int
    races: int
    undecided: int
    verdict: Verdict
    note: str = ""


class StoryRecord(_Record):
    """A failure, told: the rule it breaks, numbered lines in plain words, what was expected and what was seen."""

    kind: Literal["story"] = "story"
    rule: str
    trace: str
    lines: tuple[str, ...]
    expected: str
    seen: str
    replay: str | None = None


class VerdictRecord(_Record):
    """What the evidence says of one rule. `exercised` counts, for each part, how often its hypothesis was met."""

    kind: Literal["verdict"] = "verdict"
    rule: str
    digest: str
    chapter: str
    sentence: str
    verdict: Verdict
    exercised: dict[str, int]
    violations: int
    caught: tuple[str, ...]
    reason: str = ""


class NotShownRecord(_Record):
    """Something that a reader might take as shown and that was not.

    A part of the run that cannot be done with the system is `not_applicable`: the level is not full then.
    """

    kind: Literal["not_shown"] = "not_shown"
    text: str
    not_applicable: bool = False


class Footer(_Record):
    """Last line: without it there is no verdict. `digest` is SHA-256 over all the lines before, newlines included."""

    kind: Literal["footer"] = "footer"
    counts: dict[str, int]
    digest: str
    verdict: Verdict
    level: Level
    exit_code: int
    finished_at: str


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
