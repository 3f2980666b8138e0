"""The field: systems as they run in production, started and stopped as processes, and judged from outside alone.

What each system must be able to do is `Engine`; what it says of itself is `About`; what was found is a `FieldReport`.
"""

import re
from datetime import date
from typing import Literal, Protocol, Self

from pydantic import BaseModel, ConfigDict, model_validator

from keepfact.spec.vocabulary import RunId

from .abilities import Process
from .verdicts import Verdict, exit_code_of, worst

State = Literal["absent", "running", "waiting", "unknown", "succeeded", "failed", "cancelled"]
"""What an engine says of a run, in our words. `waiting`: for the approval. `absent`: it knows of no such run."""

ENDED = frozenset({"succeeded", "failed", "cancelled"})
"""Nothing more is to come of it."""

OVER = ENDED | {"unknown"}
"""Its execution is over; one that is `unknown` still waits for evidence."""

Capability = Literal["cancel", "postgresql"]
"""What not every engine has: a way to cancel a run; its state in PostgreSQL."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


_ADDRESS = re.compile(r"https://\S+|[\w./-]+\.(md|py)")
"""A page, or a file of this repository."""


class Documented(_Record):
    """Something said of an engine, with its `document`, and when it was looked up there; False: it never was.

    What was looked up has addresses that can be opened, with a comma between two; without that any words will do.
    """

    document: str
    checked: date | Literal[False] = False

    @model_validator(mode="after")
    def _can_be_found_again(self) -> Self:
        for address in self.document.split(", "):
            if self.checked and not _ADDRESS.fullmatch(address):
                raise ValueError(
                    f"expected the address of what was looked up on {self.checked}, https://… or a file of this "
                    f"repository, with a comma and a space between two, but got {address!r}. Without an address say "
                    "checked = false"
                )
        return self

    @property
    def source(self) -> str:
        """Where it stands, and whether and when somebody looked."""
        return f"{self.document}, looked up {self.checked}" if self.checked else f"{self.document}, not looked up"


class Promise(Documented):
    """What an engine's documentation promises about a rule, in our words, and where it stands."""

    rule: str
    says: str


class About(Documented):
    """What a cell says of its engine. `key` is how it was made idempotent; `document` has that, and the defaults that
    `timings` name.

    `based_on` names the cell beside it whose programs it runs, with other settings in their `environment`.
    `packages` are those whose versions name the engine. `timings` are the settings that were made short for the
    experiments; `cannot` gives, for an experiment that makes no sense there, the reason.
    """

    engine: str
    mode: str
    based_on: str = ""
    contract: Literal["settle", "resume"] = "resume"
    key: str
    packages: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    capabilities: tuple[Capability, ...] = ()
    promises: tuple[Promise, ...] = ()
    environment: dict[str, str] = {}
    timings: dict[str, str] = {}
    cannot: dict[str, str] = {}
    start_seconds_max: float = 60.0


class Standing(_Record):
    """What an engine says of a run. `native` is its own word for the state.

    `recorded_cents` is the sum of the costs that it has recorded, `held_cents` what it says may have been spent beside
    that, `unresolved` how many calls it says nobody knows the outcome of. `model_attempts` is how many requests to the
    model its record shows, lost ones too. None: it says nothing of the kind. `shown` is what whoever is to approve is
    shown, another when it is asked anew, and `result` what the run came to.
    """

    state: State
    native: str = ""
    recorded_cents: int | None = None
    held_cents: int = 0
    unresolved: int = 0
    model_attempts: int | None = None
    shown: object = None
    result: object = None
    error: str = ""


class Engine(Protocol):
    """A system in the field: workers are processes that whoever started them may kill; the rest is asked."""

    about: About

    def start_worker(self, release: int, name: str) -> Process:
        """A worker of that release, 1 or 2, in a process group of its own; returns when it takes up runs."""

    def submit(self, run: RunId) -> None:
        """Have the probe program run under that id."""

    def status(self, run: RunId) -> Standing:
        """What the engine says of it now."""

    def approve(self, run: RunId) -> None:
        """Say yes to what the run waits for. Raises KeepfactError if the engine did not take it."""

    def cancel(self, run: RunId) -> None:
        """Ask that it be cancelled."""

    def close(self) -> None:
        """End whatever was started."""


class Finding(_Record):
    """What one trial, or all of an experiment, says of one rule.

    `sentence` is as much of the rule as is judged from outside, `promise` what the engine's documentation says of it.
    """

    rule: str
    sentence: str
    verdict: Verdict
    why: str
    promise: str = ""


class Figures(_Record):
    """Truth at the servers outside, beside what the engine recorded in the end.

    `keys` are the different idempotency keys under which the first effect was asked for.
    """

    model_requests: int
    tool_requests: int
    keys: int
    acts: int
    true_cents: int
    recorded_cents: int | None
    held_cents: int
    unresolved: int
    end: str


class FieldTrial(_Record):
    """One run with one fault: the proof of the fault, the figures, what was judged, and the story line by line."""

    run: str
    fault: str
    delivered: bool
    proof: str
    figures: Figures | None
    findings: tuple[Finding, ...]
    story: tuple[str, ...]
    trouble: str = ""


class FieldExperiment(_Record):
    """One engine under one experiment. Without trials `reason` says why it does not apply, or could not be run."""

    experiment: str
    sentence: str
    trials: tuple[FieldTrial, ...]
    findings: tuple[Finding, ...]
    verdict: Verdict
    reason: str = ""
    reproduce: str = ""
    seconds: float = 0.0


class FieldCell(_Record):
    """One engine, with the versions that ran. `control` is a run to which nothing was done."""

    name: str
    about: About
    versions: dict[str, str]
    control: FieldTrial
    experiments: tuple[FieldExperiment, ...]


class FieldReport(_Record):
    """All that one call of the command found. `settings` are the kit's own timings and patience."""

    kind: Literal["field"] = "field"
    kit_version: str
    command: str
    started_at: str
    versions: dict[str, str]
    settings: dict[str, str]
    cells: tuple[FieldCell, ...]

    @property
    def verdict(self) -> Verdict:
        """The worst of what was judged; a cell or an experiment that does not apply says nothing."""
        return worst(
            experiment.verdict
            for cell in self.cells
            for experiment in cell.experiments
            if experiment.verdict is not Verdict.NOT_APPLICABLE
        )

    @property
    def exit_code(self) -> int:
        return exit_code_of(self.verdict)


def added_up(findings: "list[Finding]") -> tuple[Finding, ...]:
    """Findings of several trials as one a rule: the worst, with the reason of the first that is so bad."""
    rules = dict.fromkeys(finding.rule for finding in findings)
    return tuple(_of_one_rule([finding for finding in findings if finding.rule == rule]) for rule in rules)


def _of_one_rule(findings: list[Finding]) -> Finding:
    """What was not exercised in one trial but was in another has been exercised."""
    spoken = [one for one in findings if one.verdict is not Verdict.NOT_EXERCISED] or findings
    total = worst(finding.verdict for finding in spoken)
    told = [finding for finding in spoken if finding.verdict is total]
    why, count = told[0].why, f"in {len(told)} of {len(findings)} trials"
    if len({finding.why for finding in told}) > 1:
        so = {Verdict.HOLDS: "holds", Verdict.VIOLATED: "broken"}.get(total, "not decided")
        why = f"{so} {count}; for example: {why}"
    elif len(findings) > 1:
        why = f"{why} (so {count})"
    return told[0].model_copy(update={"why": why})
