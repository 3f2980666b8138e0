"""Records of what was found: in the model, by each part of a run, and in the end."""

from typing import Literal

from keepfact.conformance.harm import Harm
from keepfact.conformance.verdicts import Level, Verdict

from .record import EvidenceRecord


class ScopeRecord(EvidenceRecord):
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


class DefectRecord(EvidenceRecord):
    """A defect switched on in the model, and the rules that caught it: the proof that they could have failed.

    A run asks no other rules than the `predicted` ones; `keepfact defects --system model` asks all.
    """

    kind: Literal["defect"] = "defect"
    name: str
    predicted: tuple[str, ...]
    killed_by: tuple[str, ...]


class ExperimentRecord(EvidenceRecord):
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


class LockstepRecord(EvidenceRecord):
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


class MeetingsRecord(EvidenceRecord):
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


class StoryRecord(EvidenceRecord):
    """A failure, told: the rule it breaks, numbered lines in plain words, what was expected and what was seen.

    `model` is the answer that the model expected, empty where it did not run beside and the rule alone is expected.
    `harm` is what the last step changed; None where it was not looked at.
    """

    kind: Literal["story"] = "story"
    rule: str
    trace: str
    lines: tuple[str, ...]
    expected: str
    seen: str
    replay: str | None = None
    harm: Harm | None = None
    model: str = ""


class VerdictRecord(EvidenceRecord):
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


class NotShownRecord(EvidenceRecord):
    """Something that a reader might take as shown and that was not.

    A part of the run that cannot be done with the system is `not_applicable`: the level is not full then.
    """

    kind: Literal["not_shown"] = "not_shown"
    text: str
    not_applicable: bool = False


class Footer(EvidenceRecord):
    """Last line: without it there is no verdict. `digest` is SHA-256 over all the lines before, newlines included."""

    kind: Literal["footer"] = "footer"
    counts: dict[str, int]
    digest: str
    verdict: Verdict
    level: Level
    exit_code: int
    finished_at: str
