"""What the field found, as tables and stories, for whatever form a report has."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from keepfact.conformance.field import FieldCell, FieldExperiment, FieldReport, FieldTrial, Figures, Finding
from keepfact.conformance.verdicts import Verdict, worst

SILENT = frozenset({Verdict.NOT_EXERCISED, Verdict.NOT_APPLICABLE})


@dataclass(frozen=True, slots=True)
class Entry:
    """What stands in one place of a table; the verdict, if it is one, is in the text too."""

    text: str
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Table:
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]


@dataclass(frozen=True, slots=True)
class Told:
    """The story of one trial."""

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """One engine."""

    title: str
    facts: tuple[tuple[str, str], ...]
    tables: tuple[Table, ...]
    stories: tuple[Told, ...]


def overview(report: FieldReport) -> Table:
    """Engines by experiments: the verdict, and the rules that are broken."""
    names = _experiments(report)
    rows = [
        (Entry(named(cell)), *(_verdict_of(_of(cell, name)) for name in names))
        for cell in report.cells
    ]  # fmt: skip
    return Table("Engines and experiments", ("engine", *map(_words, names)), tuple(rows))


def truths(report: FieldReport) -> Table:
    """What was spent beside what is recorded, for each trial that is not one of a sweep."""
    trials = dict.fromkeys(trial.fault for cell in report.cells for trial in _single(cell))
    rows = [(Entry(named(cell)), *(Entry(_truth(_trial(cell, fault))) for fault in trials)) for cell in report.cells]
    title = "Cents spent / recorded; requests to the model + to tools; effects; the end"
    return Table(title, ("engine", *map(_words, trials)), tuple(rows))


def rules(report: FieldReport) -> Table:
    """Rules by engines: the worst over all experiments that had something to say."""
    found = defaultdict[tuple[str, str], list[Verdict]](list)
    sentences = dict[str, str]()
    for cell in report.cells:
        for _, finding in _findings(cell):
            found[cell.name, finding.rule].append(finding.verdict)
            sentences[finding.rule] = finding.sentence
    rows = [
        (Entry(rule), Entry(sentence), *(_total(found[cell.name, rule]) for cell in report.cells))
        for rule, sentence in sentences.items()
    ]
    return Table(
        "Rules and engines",
        ("rule", "as far as it is judged from outside", *map(named, report.cells)),
        tuple(rows),
    )


def section(cell: FieldCell) -> Section:
    """One engine in full."""
    about = cell.about
    facts = [
        ("mode", about.mode),
        ("claims", f"the contract {about.contract}"),
        ("made idempotent by", about.key),
        ("as documented in", about.source),
        *(("version", f"{name} {version}") for name, version in cell.versions.items()),
        *(("set short", f"{name}: {said}") for name, said in about.timings.items()),
    ]
    broken = [trial for experiment in cell.experiments for trial in experiment.trials if _is_broken(trial)]
    return Section(
        title=named(cell),
        facts=tuple(facts),
        tables=(_seen(cell), _trials(cell), *(_sweep(one) for one in cell.experiments if _is_swept(one)), _again(cell)),
        stories=tuple(Told(f"{_words(trial.fault)}: {trial.proof or trial.trouble}", trial.story) for trial in broken),
    )


def named(cell: FieldCell) -> str:
    """The engine, with the version of its first package, and the name of its cell: one engine may have several."""
    return f"{' '.join([cell.about.engine, *list(cell.versions.values())[:1]])} ({cell.name})"


def recorded(figures: Figures) -> str:
    """An amount, an interval, or nothing."""
    if figures.recorded_cents is None:
        return "nothing"
    high = f" to {figures.recorded_cents + figures.held_cents}" if figures.held_cents else ""
    return f"{figures.recorded_cents}{high}"


def _seen(cell: FieldCell) -> Table:
    """Each rule that was broken or not decided, beside what the engine promises of it."""
    rows = [
        (
            Entry(_words(experiment.experiment)),
            Entry(finding.rule),
            Entry(finding.verdict, finding.verdict),
            Entry(finding.why),
            Entry(finding.promise or "nothing that was found"),
        )
        for experiment, finding in _findings(cell)
        if finding.verdict is not Verdict.NOT_EXERCISED
    ]
    return Table(
        "What was seen, and what is promised", ("experiment", "rule", "verdict", "seen", "promised"), tuple(rows)
    )


def _trials(cell: FieldCell) -> Table:
    rows = [(Entry(_words(trial.fault)), *map(Entry, _figures(trial))) for trial in _single(cell)]
    return Table("Truth beside the record", ("fault", *_FIGURES), tuple(rows))


def _sweep(experiment: FieldExperiment) -> Table:
    rows = [
        (Entry(_words(trial.fault)), *map(Entry, _figures(trial)), Entry(trial.proof or trial.trouble))
        for trial in experiment.trials
    ]
    return Table(_words(experiment.experiment), ("fault", *_FIGURES, "where"), tuple(rows))


def _again(cell: FieldCell) -> Table:
    rows = [
        (
            Entry(_words(one.experiment)),
            Entry(one.verdict, one.verdict),
            Entry(one.reason or f"{len(one.trials)} trials"),
            Entry(one.reproduce),
        )
        for one in cell.experiments
    ]
    return Table("Again", ("experiment", "verdict", "", "command"), tuple(rows))


_FIGURES = ("model asked", "tools asked", "keys of the first", "effects", "spent", "recorded", "unresolved", "end")


def _figures(trial: FieldTrial) -> tuple[str, ...]:
    one = trial.figures
    if one is None:
        return ("",) * len(_FIGURES)
    numbers = (one.model_requests, one.tool_requests, one.keys, one.acts, one.true_cents)
    return (*map(str, numbers), recorded(one), str(one.unresolved), one.end)


def _truth(trial: FieldTrial | None) -> str:
    if trial is None or trial.figures is None:
        return "not delivered" if trial else "–"
    one = trial.figures
    asked = f"{one.model_requests}+{one.tool_requests} asked, {one.acts} effects"
    return f"{one.true_cents} / {recorded(one)}; {asked}; {one.end}"


def _verdict_of(experiment: FieldExperiment | None) -> Entry:
    if experiment is None:
        return Entry("–")
    broken = [one.rule for one in experiment.findings if one.verdict is Verdict.VIOLATED]
    return Entry(" ".join([experiment.verdict, ", ".join(broken)]).strip(), experiment.verdict)


def _total(verdicts: list[Verdict]) -> Entry:
    if not verdicts:
        return Entry("–")
    total = worst([one for one in verdicts if one not in SILENT] or verdicts)
    return Entry(total, total)


def _findings(cell: FieldCell) -> Iterable[tuple[FieldExperiment, Finding]]:
    return ((experiment, finding) for experiment in cell.experiments for finding in experiment.findings)


def _experiments(report: FieldReport) -> list[str]:
    return list(dict.fromkeys(one.experiment for cell in report.cells for one in cell.experiments))


def _of(cell: FieldCell, name: str) -> FieldExperiment | None:
    return next((one for one in cell.experiments if one.experiment == name), None)


def _trial(cell: FieldCell, fault: str) -> FieldTrial | None:
    """The trial of that fault; of several the first that broke something."""
    trials = sorted((one for one in _single(cell) if one.fault == fault), key=lambda one: not _is_broken(one))
    return trials[0] if trials else None


def _single(cell: FieldCell) -> tuple[FieldTrial, ...]:
    """The trials that are not of a sweep, the control first."""
    return cell.control, *(one for each in cell.experiments if not _is_swept(each) for one in each.trials)


def _is_swept(experiment: FieldExperiment) -> bool:
    return len(experiment.trials) > 3


def _is_broken(trial: FieldTrial) -> bool:
    return bool(trial.trouble) or any(finding.verdict is Verdict.VIOLATED for finding in trial.findings)


def _words(name: str) -> str:
    return name.replace("_", " ")
