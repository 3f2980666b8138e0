"""Commands about the rules themselves: the model that keeps them, and the defects that they catch."""

import secrets
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, NoReturn, TypeVar

import typer

from keepfact.conformance.crew import shared_out
from keepfact.conformance.drawing import Canvas, canvas_for
from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.selftest import defect_named, explored, how_it_shows, hunted, verdict_of_matrix
from keepfact.conformance.story import tell_path
from keepfact.conformance.verdicts import ExitCode, Verdict, exit_code_of, worst
from keepfact.model.defects import DEFECTS
from keepfact.model.scopes import SCOPES, Scope
from keepfact.reports import console as show
from keepfact.reports import listing
from keepfact.spec.book import BOOK

from .app import CHECKING, app, leave_no_folder

R = TypeVar("R")


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
    listing.show_scopes(sorted(records, key=lambda record: order.index(record.name)), [])
    verdicts = [record.verdict for record in records]
    if scope is None and listing.show_silent_rules(BOOK.rules, records):
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
        listing.show_book(BOOK.rules)
        return
    found = next((one for one in BOOK.rules if one.id == rule.upper()), None)
    if found is None:
        raise KeepfactError(f"expected the id of a rule, like FENCE.2, but got {rule!r}. `keepfact rules` lists them.")
    listing.show_rule(found, [defect for defect in DEFECTS.values() if found.id in defect.predicted])


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
    listing.show_matrix(sorted(records, key=lambda record: list(chosen).index(record.name)), DEFECTS, rules)
    show.console.print(f"control, without a defect: {worst(record.verdict for record in control)}")
    raise typer.Exit(exit_code_of(verdict_of_matrix(control, records, rules)))


def _defects_of_postgres(names: Sequence[str], seed: int) -> NoReturn:
    """Each in lockstep with the model, until a rule breaks."""
    # Our implementation is loaded by whoever asks for it: no other command should have to wait for that.
    leave_no_folder()
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
    listing.show_mutations([hunt.record for hunt in caught], {name: one.reported for name, one in MUTATIONS.items()})
    broken = ", ".join(control.killed_by) or Verdict.HOLDS
    show.console.print(f"control, {control.traces} traces without a defect: {broken}")
    if not control.is_as_predicted:
        show.console.print(f"keepfact verify --system postgres --seed {seed} tells how.")
    raise typer.Exit(exit_code_of(verdict_of(found)))


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
