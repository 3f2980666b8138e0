"""Commands that put a system to the test, and leave evidence."""

import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from keepfact import reports
from keepfact.conformance import asking
from keepfact.conformance.audit.signing import private_key, seal_and_sign
from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.evidence import EvidenceWriter
from keepfact.conformance.guardian import guarded
from keepfact.conformance.profiles import EFFORTS, Profile
from keepfact.conformance.selftest import Proving
from keepfact.conformance.system import declared_by
from keepfact.conformance.systems import open_system
from keepfact.conformance.verification import Verification
from keepfact.reports import console as show
from keepfact.reports import github, listing
from keepfact.spec.book import BOOK
from keepfact.spec.chapter import Rule

from .app import CHECKING, OutOption, ProfileOption, SeedOption, SignOption, SystemOption, app, leave_no_folder
from .auditing import sign_statement

if TYPE_CHECKING:  # otherwise every command would load what only these need
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from keepfact.fault_injection.injection import Injection
    from keepfact.fault_injection.strikes import Sample


@app.command(rich_help_panel=CHECKING)
def verify(
    system: SystemOption = "postgres",
    profile: ProfileOption = Profile.QUICK,
    seed: SeedOption = None,
    out: OutOption = None,
    sign: SignOption = None,
) -> None:
    """Everything: the model, the system beside the model, every experiment that fits; evidence, reports, a verdict."""
    from keepfact.fault_injection.experiment import find_experiments

    key = None if sign is None else private_key(sign)
    leave_no_folder()
    with _run(system, profile, seed, out) as run, _proving(run) as proving:
        with show.metered(f"lockstep with the model, at least {EFFORTS[profile].traces} traces") as meter:
            lockstep = run.lockstep(lambda steps: meter(steps))
        show.show_lockstep(lockstep)
        with show.metered("commands that meet") as meter:
            met = run.meetings(lambda meetings: meter(meetings))
        if met is None:
            show.console.print("commands that meet: not tried; the report says why under what was not shown")
        else:
            show.show_meetings(met)
        _experiments(run, find_experiments(), _sample(run))
        _regressions(run)
        with show.metered("the model, to its last edge"):
            proof = proving.result()
        run.selftest(proof)
        listing.show_scopes(proof.scopes, proof.defects)
        _end(run, BOOK.rules, key)


@app.command(rich_help_panel=CHECKING)
def inject(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[EXPERIMENT]...", help="Which; `all` for all; `regressions` for all reported faults."),
    ] = None,
    system: SystemOption = "postgres",
    profile: ProfileOption = Profile.QUICK,
    seed: SeedOption = None,
    out: OutOption = None,
    without_fault: Annotated[
        bool, typer.Option("--without-fault", help="Do all but the fault, to see that this is not called a pass.")
    ] = False,
    sign: SignOption = None,
) -> None:
    """Break the world around a system, everywhere but in the quick profile; or tell faults that were reported of others
    again. Without an experiment, list them.
    """
    from keepfact.fault_injection.experiment import find_experiments
    from keepfact.fault_injection.regression import find_regressions

    experiments: dict[str, Injection] = {experiment.name: experiment for experiment in find_experiments()}
    regressions: dict[str, Injection] = {regression.name: regression for regression in find_regressions()}
    if not names:
        listing.show_injections(experiments.values(), regressions.values())
        return
    known = {name: [one] for name, one in (experiments | regressions).items()}
    known |= {"all": list(experiments.values()), "regressions": list(regressions.values())}
    for name in names:
        if name not in known:
            raise KeepfactError(
                f"expected an experiment, all, or regressions, but got {name!r}. `keepfact inject` lists them."
            )
    chosen = list({one.name: one for name in names for one in known[name]}.values())
    judged = frozenset(rule for experiment in chosen for rule in experiment.rules)
    key = None if sign is None else private_key(sign)
    with _run(system, profile, seed, out) as run, _proving(run, judged) as proving:
        _experiments(run, chosen, _sample(run) if profile is Profile.QUICK else None, deliver=not without_fault)
        run.selftest(proving.result())
        _end(run, (rule for rule in BOOK.rules if rule.id in judged), key)


def _experiments(
    run: Verification, experiments: Iterable["Injection"], sample: "Sample | None", *, deliver: bool = True
) -> None:
    for experiment in experiments:
        _experiment(run, experiment, sample, deliver=deliver)
    if sample is not None:
        run.not_shown(
            f"Every strike of the experiments: under each contract {sample.strikes} of each were made, with another "
            "seed others."
        )


def _regressions(run: Verification) -> None:
    from keepfact.fault_injection.regression import find_regressions

    if not run.effort.regressions:
        run.not_shown("The faults that were reported of other systems: `keepfact inject regressions` tells them again.")
        return
    for regression in find_regressions():
        _experiment(run, regression, None, deliver=True)


def _experiment(run: Verification, experiment: "Injection", sample: "Sample | None", *, deliver: bool) -> None:
    """Run it, or say why it does not apply."""
    system = run.system
    if reason := experiment.why_not(system):
        run.not_applicable(reason)
        show.console.print(f"{experiment.name}: not applicable, {reason}", markup=False)
        return
    with show.metered(experiment.name) as meter:
        record = experiment.run(system, run.judge, run.evidence, meter, deliver=deliver, sample=sample)
    run.experiment(record, experiment.not_shown)
    show.show_experiment(record)


def _sample(run: Verification) -> "Sample | None":
    """Which strikes the profile leaves; others with another seed."""
    from keepfact.fault_injection.strikes import Sample

    return None if run.effort.strikes is None else Sample(run.effort.strikes, run.seed)


@contextmanager
def _run(system_name: str, profile: Profile, seed: int | None, out: Path | None) -> Iterator[Verification]:
    """The system started and the evidence open, for as long as a run lasts, in a process that is watched."""
    directory = out or Path("evidence") / f"{datetime.now():%Y%m%d-%H%M%S}-{os.getpid()}"
    number = secrets.randbelow(2**32) if seed is None else seed
    guarded()  # from here on whatever is tested may do as it likes
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


def _end(run: Verification, rules: Iterable[Rule], key: "Ed25519PrivateKey | None") -> NoReturn:
    """Conclude, tell, write the reports, seal and sign the directory, and exit with the verdict's code."""
    directory = run.evidence.directory
    conclusion = run.conclude(rules)
    show.show_stories(run.stories, str(directory))
    show.show_verdicts(conclusion.rules, conclusion.verdict, conclusion.level, run.untried)
    for path in reports.write(directory):
        show.console.print(f"  {path}", markup=False)
    if key is not None:
        sign_statement(directory, key)
    run.evidence.seal()
    if key is not None:
        show.console.print(f"  {seal_and_sign(directory, key)}", markup=False)
    github.show(os.environ, directory / "report.md", conclusion.rules, run.stories, conclusion.exit_code, print)
    raise typer.Exit(conclusion.exit_code)
