"""What stands in the book and in the model, and what can be injected, as tables and lists in a terminal."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, get_args

from rich.markup import escape
from rich.table import Column, Table

from keepfact.conformance.evidence import DefectRecord, ScopeRecord
from keepfact.spec.chapter import Rule

from .console import console, styled


class Shown(Protocol):
    """What is told of an experiment before it runs."""

    @property
    def name(self) -> str: ...
    @property
    def fault(self) -> str: ...
    @property
    def rules(self) -> tuple[str, ...]: ...
    @property
    def needed(self) -> tuple[str, ...]: ...


class ShownDefect(Protocol):
    """What is told of a defect."""

    @property
    def name(self) -> str: ...
    @property
    def sentence(self) -> str: ...
    @property
    def case(self) -> str: ...


def show_scopes(scopes: Iterable[ScopeRecord], defects: Iterable[DefectRecord]) -> None:
    """The model: how much of it was explored, and what its defects were caught by."""
    table = Table("scope", "states", "edges", "rules checked", "no way to an end", "verdict", title_justify="left")
    for scope in scopes:
        table.add_row(
            scope.name,
            f"{scope.states:,}",
            f"{scope.edges:,}",
            str(len(scope.checked)),
            str(scope.states_without_end),
            styled(scope.verdict),
        )
    console.print(table)
    caught = [set(defect.predicted) <= set(defect.killed_by) for defect in defects]
    if caught:
        console.print(
            f"defects of the model caught by the rules they were predicted for: {sum(caught)} of {len(caught)}"
        )


def show_silent_rules(rules: Iterable[Rule], scopes: Iterable[ScopeRecord]) -> list[str]:
    """How many rules had something to say somewhere; those that had not, of which nothing was shown."""
    met: Counter[str] = Counter()
    for scope in scopes:
        met.update(scope.checked)
    known = list(rules)
    silent = [rule.id for rule in known if not met[rule.id]]
    console.print(f"rules whose condition was met somewhere: {len(known) - len(silent)} of {len(known)}")
    if silent:
        console.print(f"never met: {', '.join(silent)}")
    return silent


def show_matrix(records: Iterable[DefectRecord], defects: Mapping[str, ShownDefect], rules: Iterable[Rule]) -> None:
    """Which rules caught each defect; a predicted one that did not is marked as missing."""
    table = Table(Column("defect", overflow="fold"), "case", "predicted", "caught also by", title_justify="left")
    killers: set[str] = set()
    known = list(records)
    for record in known:
        killers.update(set(record.predicted) & set(record.killed_by))
        predicted = [rule if rule in record.killed_by else f"[bold red]{rule} MISSED[/]" for rule in record.predicted]
        others = [rule for rule in record.killed_by if rule not in record.predicted]
        table.add_row(escape(record.name), defects[record.name].case, ", ".join(predicted), ", ".join(others))
    console.print(table)
    without = [rule.id for rule in rules if rule.id not in killers]
    caught = sum(set(record.predicted) <= set(record.killed_by) for record in known)
    console.print(f"defects caught by every rule that they name: {caught} of {len(known)}")
    console.print(f"rules without a defect: {', '.join(without) or 'none'}")


def show_mutations(records: Iterable[DefectRecord], reported: Mapping[str, Sequence[str]]) -> None:
    """Which rules caught each mutation, and which of them were predicted to; one of these is enough."""
    table = Table(Column("defect", overflow="fold"), "reported", "caught by", "as predicted", title_justify="left")
    known = list(records)
    caught = 0
    for record in known:
        rightly = [rule for rule in record.predicted if rule in record.killed_by]
        caught += bool(rightly)
        missed = f"[bold red]MISSED {', '.join(record.predicted)}[/]"
        table.add_row(
            escape(record.name),
            ", ".join(reported[record.name]),
            ", ".join(record.killed_by) or "nothing",
            ", ".join(rightly) or missed,
        )
    console.print(table)
    console.print(f"defects caught by a rule that was predicted to: {caught} of {len(known)}")


def show_injections(experiments: Iterable[Shown], regressions: Iterable[Shown]) -> None:
    """Every experiment and every reported fault: what it breaks, what it needs and which rules it judges."""
    console.print("Experiments, of which `all` are those:\n")
    for experiment in experiments:
        _show_injection(experiment)
    console.print("Faults that real systems had, of which `regressions` are all:\n")
    for regression in regressions:
        _show_injection(regression)


def _show_injection(one: Shown) -> None:
    console.print(f"[bold]{escape(one.name)}[/]\n  {escape(one.fault)}")
    console.print(f"  needs:  {', '.join(one.needed) or 'nothing beyond the spine'}")
    console.print(f"  judges: {', '.join(one.rules)}\n")


def show_book(rules: Iterable[Rule]) -> None:
    """Every rule of the book, with its sentence."""
    for rule in rules:
        console.print(f"[bold]{rule.id:<10}[/] {escape(rule.sentence)}")


def show_rule(rule: Rule, defects: Iterable[ShownDefect]) -> None:
    """One rule: what it says, whom it binds, where it is checked and what it catches."""
    console.print(f"[bold]{rule.id}[/] {escape(rule.sentence)}\n")
    console.print(f"  contracts  {', '.join(sorted(rule.contracts))}")
    console.print(
        f"  kind       {rule.kind}" + (f", implies {rule.implies} of the Resume Contract" if rule.implies else "")
    )
    console.print(f"  digest     {rule.digest}")
    console.print(f"  checked    {rule.where}, on {_about(rule)}")
    if rule.needs:
        console.print(f"  applies    to systems that offer {' or '.join(sorted(rule.needs))}")
    for defect in defects:
        console.print(f"  catches    {escape(defect.name)}: {escape(defect.sentence)}")


def _about(rule: Rule) -> str:
    """The causes that the rule can speak of."""
    if rule.about is None:
        return "every step"
    classes = get_args(rule.about) or (rule.about,)
    return f"steps of {', '.join(cls.__name__ for cls in classes)}"
