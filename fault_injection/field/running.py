"""Experiments on cells, one after the other, and what was found as records."""

import platform
import shlex
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from importlib.metadata import version

from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.field import FieldCell, FieldExperiment, FieldReport, FieldTrial, Finding, added_up
from keepfact.conformance.verdicts import Verdict, worst

from ..waiting import NotReachedError
from . import experiments
from .cell import Cell
from .environment import Tell
from .judging import judged, undecided
from .stage import Stage, setting, stage
from .statements import undisturbed
from .trial import GOING_ON_SECONDS, REPLACED_AFTER_SECONDS, UPGRADED_SECONDS, WATCHED_SECONDS, Deed, Trial

AT_ONCE = 2
"""Cells that are tried at the same time, each with a server, proxies and worlds of its own: they mostly wait."""

TRIES_MAX = 3
"""How often a trial is made until it strikes the commit that it is to."""

PROGRAM_CENTS = 29
"""What the program costs: its plan 3, the payment 11, the transfer 13, the last words 2."""

CONTROL_RULES = ("EFFECT.4", "COST.2", "SETTLE.10")

Done = Callable[[FieldExperiment, Cell], None]
"""Is told of each experiment as soon as it is over."""


def run(
    cells: Iterable[Cell], wanted: Iterable[experiments.FieldExperiment], command: str, tell: Tell, done: Done
) -> FieldReport:
    """All wanted experiments on each cell, some cells at once. Raises KeepfactError if one cannot be installed."""
    started_at, wanted, stopping = datetime.now(UTC), tuple(wanted), threading.Event()

    def on_its_own_stage(cell: Cell) -> tuple[FieldCell, str]:
        with stage(tell, stopping) as here:
            return _on(here, cell, wanted, tell, done), here.server_version

    with ThreadPoolExecutor(AT_ONCE) as threads:
        try:
            found = list(threads.map(on_its_own_stage, cells))
        except BaseException:  # also when we are asked to stop: those at work end at their next look
            stopping.set()
            threads.shutdown(cancel_futures=True)
            raise
    return FieldReport(
        kit_version=version("keepfact"),
        command=command,
        started_at=f"{started_at:%Y-%m-%dT%H:%M:%SZ}",
        versions={"python": platform.python_version(), "postgresql": found[0][1]},
        settings={
            "patience": f"a run may take {GOING_ON_SECONDS:g} s from one stop to the next",
            "watching": f"that something does not happen is watched for {WATCHED_SECONDS:g} s",
            "upgrading": f"the new release is alone for {UPGRADED_SECONDS:g} s before the old one comes back",
            "replacing": f"a frozen worker is replaced after {REPLACED_AFTER_SECONDS:g} s",
            "trials": "each fault is brought to one run",
        },
        cells=tuple(cell for cell, _ in found),
    )


def _on(here: Stage, cell: Cell, wanted: Iterable[experiments.FieldExperiment], tell: Tell, done: Done) -> FieldCell:
    versions = cell.versions(tell)
    control = _trial(here, cell, CONTROL_RULES, undisturbed)
    trouble = trouble_of(control)
    results = []
    for experiment in wanted:
        here.go_on()
        began = time.monotonic()
        result = _undecided(experiment, trouble) if trouble else _experiment(here, cell, experiment)
        told = {
            "seconds": round(time.monotonic() - began, 1),
            "reproduce": again(cell, experiment.name),
        }
        results.append(result.model_copy(update=told))
        done(results[-1], cell)
    return FieldCell(name=cell.name, about=cell.about, versions=versions, control=control, experiments=tuple(results))


def again(cell: Cell, experiment: str) -> str:
    """The command that makes an experiment anew."""
    return shlex.join(["keepfact", "field", cell.given or cell.name, "--experiment", experiment])


def trouble_of(control: FieldTrial) -> str:
    """Why nothing can be said of a cell: undisturbed, its run does not come to what the program comes to."""
    if control.figures is None:
        return f"the control, a run to which nothing was done, could not be made: {control.trouble}"
    one = control.figures
    seen = f"it spent {one.true_cents} cents, recorded {one.recorded_cents}, and is {one.end}"
    if (one.true_cents, one.end) != (PROGRAM_CENTS, "succeeded") or one.recorded_cents not in (None, PROGRAM_CENTS):
        return f"expected a run to which nothing was done to spend and record {PROGRAM_CENTS} cents, but {seen}"
    return ""


def _undecided(experiment: experiments.FieldExperiment, why: str) -> FieldExperiment:
    return FieldExperiment(
        experiment=experiment.name, sentence=experiment.sentence, trials=(), findings=(),
        verdict=Verdict.INCONCLUSIVE, reason=why,
    )  # fmt: skip


def _experiment(here: Stage, cell: Cell, experiment: experiments.FieldExperiment) -> FieldExperiment:
    missing = experiment.needs is not None and experiment.needs not in cell.about.capabilities
    if reason := cell.about.cannot.get(experiment.name) or (experiment.why if missing else ""):
        return FieldExperiment(
            experiment=experiment.name, sentence=experiment.sentence, trials=(), findings=(),
            verdict=Verdict.NOT_APPLICABLE, reason=reason,
        )  # fmt: skip
    trials = tuple(_trial(here, cell, experiment.rules, deed) for deed in experiment.deeds)
    findings = added_up([finding for trial in trials for finding in trial.findings])
    return FieldExperiment(
        experiment=experiment.name,
        sentence=experiment.sentence,
        trials=trials,
        findings=findings,
        verdict=total_of(findings),
    )


def total_of(findings: Iterable[Finding]) -> Verdict:
    """What did not come up in one experiment comes up in another, so it counts nothing here unless nothing did."""
    silent = (Verdict.NOT_EXERCISED, Verdict.NOT_APPLICABLE)
    return worst(finding.verdict for finding in findings if finding.verdict not in silent)


def _trial(here: Stage, cell: Cell, rules: tuple[str, ...], deed: Deed) -> FieldTrial:
    """One run, on a setting of its own; anew if it struck another commit than it was to.

    Trouble of whatever kind leaves the rules undecided, and is told.
    """
    for left in reversed(range(TRIES_MAX)):
        here.go_on()
        try:
            with setting(here, cell) as there:
                trial = Trial(there)
                done = _done(trial, cell, rules, deed)
        except (NotReachedError, KeepfactError) as error:
            return _troubled("", cell, rules, deed, str(error), ())
        if not (trial.struck_another and left):
            return done
        here.tell(f"{cell.name}: {deed.__name__}: once more, since {done.trouble}")
    raise AssertionError("the last try returns")


def _done(trial: Trial, cell: Cell, rules: tuple[str, ...], deed: Deed) -> FieldTrial:
    run = trial.setting.run
    try:
        proof, facts = deed(trial)
    except (NotReachedError, KeepfactError) as error:
        story = trial.story.told(trial.setting.world.entries(run))
        return _troubled(run, cell, rules, deed, str(error), story)
    return FieldTrial(
        run=run, fault=deed.__name__, delivered=True, proof=proof, figures=facts.figures,
        findings=tuple(judged(facts, rules, cell.about)), story=trial.story.told(facts.entries),
    )  # fmt: skip


def _troubled(run: str, cell: Cell, rules: tuple[str, ...], deed: Deed, why: str, story: tuple[str, ...]) -> FieldTrial:
    return FieldTrial(
        run=run, fault=deed.__name__, delivered=False, proof="", figures=None,
        findings=tuple(undecided(why, rules, cell.about)), story=story, trouble=why,
    )  # fmt: skip
