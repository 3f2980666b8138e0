"""Does your system keep what it promises when a worker dies, a network is cut, an answer is lost?

Start with `keepfact verify`: it drives the reference implementation on a PostgreSQL of its own, kills its workers, and
writes a report. Then point it at your system with `--system module:Class`.

`keepfact install` and what stands below it run the reference implementation as a service.

Exit codes: 0 conformant, 1 violated, 2 the kit or its input is wrong, 3 inconclusive or not exercised.
"""

import os
import secrets
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, NoReturn, TypeVar

import typer
from hypothesis.configuration import set_hypothesis_home_dir

from keepfact import reports
from keepfact.conformance import asking
from keepfact.conformance.crew import shared_out
from keepfact.conformance.drawing import Canvas, canvas_for
from keepfact.conformance.ending import run_to_an_exit_code
from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.evidence import EvidenceReader, EvidenceWriter
from keepfact.conformance.histories import HistoryError, check_file
from keepfact.conformance.profiles import EFFORTS, Profile
from keepfact.conformance.selftest import Proving, defect_named, explored, how_it_shows, hunted, verdict_of_matrix
from keepfact.conformance.story import tell_path
from keepfact.conformance.system import declared_by
from keepfact.conformance.systems import open_system
from keepfact.conformance.verdicts import ExitCode, Verdict, exit_code_of, worst
from keepfact.conformance.verification import Verification
from keepfact.fault_injection.experiment import Experiment, find_experiments
from keepfact.impl import cli as running
from keepfact.model.defects import DEFECTS
from keepfact.model.scopes import SCOPES, Scope
from keepfact.reports import console as show
from keepfact.spec.book import BOOK
from keepfact.spec.chapter import Rule

CHECKING = "Checking a system"

app = typer.Typer(
    help=__doc__,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)

R = TypeVar("R")

SystemOption = Annotated[
    str,
    typer.Option(
        "--system", help="reference, postgres, defective:NAME, http://… or module:Class of your own.", metavar="SYSTEM"
    ),
]
ProfileOption = Annotated[Profile, typer.Option(help="How far to search: a minute, ten, or a night.")]
SeedOption = Annotated[
    int | None, typer.Option(help="Where chance starts, in lockstep; without it a new one, which is printed.")
]
OutOption = Annotated[
    Path | None, typer.Option(help="A new directory for evidence and reports; without it, one below evidence/.")
]


@app.command(rich_help_panel=CHECKING)
def verify(
    system: SystemOption = "postgres",
    profile: ProfileOption = Profile.QUICK,
    seed: SeedOption = None,
    out: OutOption = None,
) -> None:
    """Everything: the model, the system beside the model, every experiment that fits; evidence, reports, a verdict."""
    with _run(system, profile, seed, out) as run, _proving(run) as proving:
        with show.metered(f"lockstep with the model, at least {EFFORTS[profile].traces} traces") as meter:
            lockstep = run.lockstep(lambda steps: meter(steps))
        show.show_lockstep(lockstep)
        with show.metered("commands that meet") as meter:
            met = run.meetings(lambda meetings: meter(meetings))
        if met is not None:
            show.show_meetings(met)
        for experiment in find_experiments():
            _experiment(run, experiment, deliver=True)
        with show.metered("the model, to its last edge"):
            proof = proving.result()
        run.selftest(proof)
        show.show_scopes(proof.scopes, proof.defects)
        _end(run, BOOK.rules)


@app.command(rich_help_panel=CHECKING)
def inject(
    names: Annotated[list[str] | None, typer.Argument(metavar="[EXPERIMENT]...", help="Which; `all` for all.")] = None,
    system: SystemOption = "postgres",
    seed: SeedOption = None,
    out: OutOption = None,
    without_fault: Annotated[
        bool, typer.Option("--without-fault", help="Do all but the fault, to see that this is not called a pass.")
    ] = False,
) -> None:
    """Break the world around a system. Without an experiment, list them."""
    known = {experiment.name: experiment for experiment in find_experiments()}
    if not names:
        show.show_experiments(known.values())
        return
    for name in names:
        if name != "all" and name not in known:
            raise KeepfactError(f"expected an experiment, one of {', '.join(known)} or all, but got {name!r}.")
    chosen = list(known.values()) if "all" in names else [known[name] for name in dict.fromkeys(names)]
    judged = frozenset(rule for experiment in chosen for rule in experiment.rules)
    with _run(system, Profile.QUICK, seed, out) as run, _proving(run, judged) as proving:
        for experiment in chosen:
            _experiment(run, experiment, deliver=not without_fault)
        run.selftest(proving.result())
        _end(run, (rule for rule in BOOK.rules if rule.id in judged))


@app.command(rich_help_panel=CHECKING)
def explore(
    scope: Annotated[str | None, typer.Option(help="One scope only.", metavar="SCOPE")] = None,
    defect: Annotated[
        str | None, typer.Option(help="Switch a defect on, and tell how it shows.", metavar="NAME")
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(
            help="Draw the scope, or how the defect shows: FILE.svg, or FILE.mmd for Mermaid.", metavar="FILE"
        ),
    ] = None,
) -> None:
    """Explore the model to its last edge, with every rule that can apply put to every edge."""
    order = [one.name for one in SCOPES]
    scopes = [one for one in SCOPES if scope in {None, one.name}]
    if not scopes:
        raise KeepfactError(f"expected a scope, one of {', '.join(order)}, but got {scope!r}.")
    if picture is not None and scope is None and defect is None:
        raise KeepfactError("expected a scope or a defect to make a picture of: add --scope SCOPE or --defect NAME.")
    canvas = None if picture is None else canvas_for(picture)
    if defect is not None:
        _explore_defect(defect, scopes, canvas)
    if canvas is not None:
        with show.metered(f"picture {canvas.path}") as meter:
            canvas.draw_scope(scopes[0], lambda states: meter(states, total=scopes[0].states))
    names = [one.name for one in sorted(scopes, key=lambda one: -one.edges)]
    records = _all(f"scopes: {len(names)}", explored, names)
    show.show_scopes(sorted(records, key=lambda record: order.index(record.name)), [])
    verdicts = [record.verdict for record in records]
    if scope is None and show.show_silent_rules(BOOK.rules, records):
        verdicts.append(Verdict.INCONCLUSIVE)  # what was never met could not have failed
    raise typer.Exit(exit_code_of(worst(verdicts)))


@app.command(rich_help_panel=CHECKING)
def defects(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="Which; without one, all.")] = None,
    system: Annotated[
        str, typer.Option("--system", help="Whose defects: model, or postgres for those in our SQL.", metavar="SYSTEM")
    ] = "model",
    seed: Annotated[
        int | None, typer.Option(help="Where chance starts, in lockstep with postgres; without it a new one.")
    ] = None,
) -> None:
    """Switch on each defect in turn: which rules catch it, and whether those do that were predicted."""
    match system:
        case "model":
            _defects_of_the_model(names or [])
        case "postgres":
            _defects_of_postgres(names or [], secrets.randbelow(2**32) if seed is None else seed)
        case _:
            raise KeepfactError(f"expected --system model or postgres, whose defects are known, but got {system!r}.")


@app.command(rich_help_panel=CHECKING)
def rules(rule: Annotated[str | None, typer.Argument(metavar="[ID]", help="One rule, as FENCE.2.")] = None) -> None:
    """The book of rules: every sentence, or one rule with what it catches."""
    if rule is None:
        show.show_book(BOOK.rules)
        return
    found = next((one for one in BOOK.rules if one.id == rule.upper()), None)
    if found is None:
        raise KeepfactError(f"expected the id of a rule, like FENCE.2, but got {rule!r}. `keepfact rules` lists them.")
    show.show_rule(found, [defect for defect in DEFECTS.values() if found.id in defect.predicted])


@app.command(rich_help_panel=CHECKING)
def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="States or steps, as JSON.")],
) -> None:
    """Judge exported histories, without any system: a state as spec/schemas/history.json says, or steps, one a line."""
    verdicts = []
    unusable = False
    for path in files:
        try:
            checked = check_file(path)
        except HistoryError as error:
            unusable = True
            print(f"keepfact: {error}", file=sys.stderr)
            continue
        show.show_checked(checked)
        verdicts.append(checked.verdict)
    if unusable and Verdict.VIOLATED not in verdicts:
        raise typer.Exit(ExitCode.BROKEN)
    raise typer.Exit(exit_code_of(worst(verdicts)))


@app.command(rich_help_panel=CHECKING)
def report(
    directory: Annotated[Path, typer.Argument(help="The evidence directory that a run wrote.")],
    formats: Annotated[str, typer.Option("--format", help="html, junit, json; several with commas.")] = "html",
    out: Annotated[Path | None, typer.Option(help="Where to write; without it, beside the evidence.")] = None,
) -> None:
    """Make reports from evidence alone, without the system."""
    EvidenceReader(directory).header()
    for path in reports.write(directory, [name.strip() for name in formats.split(",")], out=out):
        show.console.print(str(path), markup=False)


@app.command(rich_help_panel=CHECKING)
def adapter(
    system: SystemOption = "reference",
    listen: Annotated[
        str, typer.Option(help="Where: host:port, 0 for whichever port is free.", metavar="HOST:PORT")
    ] = "127.0.0.1:0",
) -> None:
    """Make a system reachable over HTTP, for `--system http://…`; its URL is printed. Until SIGTERM or Ctrl-C."""
    from keepfact.conformance.wire.serving import serve  # loads what an HTTP server needs

    opened = open_system(system)
    try:
        serve(opened, listen, lambda url: print(url, flush=True))
    finally:
        opened.close()


app.add_typer(running.app)


def _all(title: str, work: Callable[[str], R], names: list[str]) -> list[R]:
    """What comes of each, on all cores."""
    with show.metered(title) as meter:
        results: list[R] = []
        for result in shared_out(work, names):
            results.append(result)
            meter(len(results), total=len(names))
        return results


def _defects_of_the_model(names: Sequence[str]) -> NoReturn:
    chosen = {defect.name: defect for defect in map(defect_named, names)} or DEFECTS
    named = {rule for defect in chosen.values() for rule in defect.predicted}
    rules = [rule for rule in BOOK.rules if not names or rule.id in named]
    control = _all("the control: every scope without a defect", explored, [scope.name for scope in SCOPES])
    records = _all(f"defects: {len(chosen)}", hunted, list(chosen))
    show.show_matrix(sorted(records, key=lambda record: list(chosen).index(record.name)), DEFECTS, rules)
    show.console.print(f"control, without a defect: {worst(record.verdict for record in control)}")
    raise typer.Exit(exit_code_of(verdict_of_matrix(control, records, rules)))


def _defects_of_postgres(names: Sequence[str], seed: int) -> NoReturn:
    """Each in lockstep with the model, until a rule breaks."""
    # Our implementation is loaded by whoever asks for it: no other command should have to wait for that.
    from keepfact.conformance.systems.defective import MUTATIONS
    from keepfact.conformance.systems.defective.matrix import CONTROL, Hunt, hunts, verdict_of

    found = list[Hunt]()
    wanted = len(set(names)) or len(MUTATIONS)
    with show.metered(f"defects in our SQL: {wanted}, seed {seed}") as meter:
        for hunt in hunts(names, seed):
            found.append(hunt)
            meter(min(len(found), wanted), total=wanted)
    found.sort(key=lambda hunt: [*MUTATIONS, CONTROL].index(hunt.name))
    *caught, control = found
    show.show_mutations([hunt.record for hunt in caught], {name: one.reported for name, one in MUTATIONS.items()})
    broken = ", ".join(control.killed_by) or Verdict.HOLDS
    show.console.print(f"control, {control.traces} traces without a defect: {broken}")
    if not control.is_as_predicted:
        show.console.print(f"keepfact verify --system postgres --seed {seed} tells how.")
    raise typer.Exit(exit_code_of(verdict_of(found)))


def _experiment(run: Verification, experiment: Experiment, *, deliver: bool) -> None:
    """Run it, or say why it does not apply."""
    system = run.system
    if not experiment.suits(system):
        reason = experiment.why_not(system) or ""
        run.not_applicable(reason)
        show.console.print(f"{experiment.name}: not applicable, {reason}", markup=False)
        return
    with show.metered(experiment.name) as meter:
        record = experiment.run(system, run.judge, run.evidence, meter, deliver=deliver)
    run.experiment(record, experiment.not_shown)
    show.show_experiment(record)


def _explore_defect(name: str, scopes: Iterable[Scope], canvas: Canvas | None) -> NoReturn:
    defect = defect_named(name)
    show.console.print(defect.sentence, markup=False)
    broken = how_it_shows(defect, scopes)
    if not broken:
        show.console.print("No rule that was to catch it did within these bounds. Without --scope all are looked at.")
    for counterexample in broken:
        rule = BOOK.rule(counterexample.rule)
        show.show_story(tell_path(rule.id, rule.sentence, counterexample.path), "")
    if canvas is not None and broken:
        canvas.draw_story(broken)
        show.console.print(f"picture {canvas.path}", markup=False)
    raise typer.Exit(ExitCode.VIOLATED if broken else ExitCode.INCONCLUSIVE)


@contextmanager
def _run(system_name: str, profile: Profile, seed: int | None, out: Path | None) -> Iterator[Verification]:
    """The system started and the evidence open, for as long as a run lasts."""
    directory = out or Path("evidence") / f"{datetime.now():%Y%m%d-%H%M%S}-{os.getpid()}"
    number = secrets.randbelow(2**32) if seed is None else seed
    system = open_system(system_name)
    try:
        with EvidenceWriter(directory) as evidence:
            title = f"keepfact: system {system.name}, profile {profile}, seed {number}, evidence in {directory}"
            show.console.print(title, markup=False)
            yield Verification(system, evidence, profile, number, system_name)
    finally:
        asking.close(system)


def _proving(run: Verification, judged: frozenset[str] | None = None) -> Proving:
    """The proof that what can be asked of this system, or these rules, could have failed."""
    return Proving(*declared_by(run.system), judged)


def _end(run: Verification, rules: Iterable[Rule]) -> NoReturn:
    """Conclude, tell, write the reports, seal the directory, and exit with the verdict's code."""
    directory = run.evidence.directory
    conclusion = run.conclude(rules)
    show.show_stories(run.stories, str(directory))
    show.show_verdicts(conclusion.rules, conclusion.verdict, conclusion.level)
    for path in reports.write(directory):
        show.console.print(f"  {path}", markup=False)
    run.evidence.seal()
    raise typer.Exit(conclusion.exit_code)


def main() -> None:
    """Run the command line; every way out has one of the four exit codes."""
    set_hypothesis_home_dir(Path(os.devnull, "hypothesis"))  # or it leaves a folder wherever it is run
    run_to_an_exit_code(app, running.Code, running.explained)


if __name__ == "__main__":
    main()
