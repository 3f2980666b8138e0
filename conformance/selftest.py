"""The model against the rules: every scope to the last edge, and every defect of the model caught by its rules."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from itertools import product
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Self

from keepfact.model.defects import DEFECTS, Defect
from keepfact.model.explore import Broken, Exploration, explore
from keepfact.model.scopes import SCOPES, Scope
from keepfact.spec.book import BOOK
from keepfact.spec.chapter import Rule
from keepfact.spec.vocabulary import Capability, Contract

from .errors import KeepfactError
from .evidence import DefectRecord, ScopeRecord
from .proof import SelfTest
from .verdicts import Verdict, worst

EDGES_FIRST, EDGES_MAX = 5_000, 100_000
"""Most defects show within a few edges of some scope. One that nothing has caught by the last is taken as uncaught."""


def prove_the_model(
    contracts: frozenset[Contract], capabilities: frozenset[Capability], judged: frozenset[str] | None = None
) -> SelfTest:
    """Explore every scope in which nothing happens but what a system with these can do, then hunt in them every defect
    that is to be caught by rules which apply to it. Pure, and so it can run in a process of its own.

    If only some rules are `judged`, no more is done than to show that these can fail.
    """
    scopes, defects = fitting_scopes(contracts, capabilities), fitting_defects(contracts, capabilities)
    if judged is not None:
        return SelfTest((), tuple(hunt(one, scopes, _predicted(one)) for one in defects if judged & set(one.predicted)))
    return SelfTest(
        tuple(scope_record(explore(scope)) for scope in scopes),
        tuple(hunt(defect, scopes, _predicted(defect)) for defect in defects),
    )


def fitting_scopes(contracts: frozenset[Contract], capabilities: frozenset[Capability]) -> tuple[Scope, ...]:
    """The scopes in which nothing happens but what a system with these can do."""
    return tuple(scope for scope in SCOPES if scope.needs <= capabilities and scope.contract in contracts)


def fitting_defects(contracts: frozenset[Contract], capabilities: frozenset[Capability]) -> tuple[Defect, ...]:
    """The defects that a system with these could have, and whose rules all apply to it."""
    rules = {rule.id for rule in BOOK.rules if rule.applies_to(contracts, capabilities)}
    return tuple(
        defect for defect in DEFECTS.values() if set(defect.predicted) <= rules and defect.needs <= capabilities
    )


def hunt(defect: Defect, scopes: tuple[Scope, ...] = SCOPES, rules: Iterable[Rule] | None = None) -> DefectRecord:
    """Explore with the defect switched on, until each rule it predicts has caught it; without `rules` all are asked."""
    killed: set[str] = set()
    for edges_max, scope in product((EDGES_FIRST, EDGES_MAX), near(defect, scopes)):
        killed |= set(_broken_within(edges_max, defect, scope, all, rules))
        if set(defect.predicted) <= killed:
            break
    return DefectRecord(name=defect.name, predicted=defect.predicted, killed_by=tuple(sorted(killed)))


def _predicted(defect: Defect) -> list[Rule]:
    """What a run asks to show that its rules can fail: to see what others notice of a defect takes twice as long."""
    return [BOOK.rule(name) for name in defect.predicted]


def how_it_shows(defect: Defect, scopes: Iterable[Scope] = SCOPES) -> tuple[Broken, ...]:
    """The shortest way to where a rule catches it that was to, in the first scope where one does; none if none does."""
    for edges_max, scope in product((EDGES_FIRST, EDGES_MAX), near(defect, scopes)):
        broken = _broken_within(edges_max, defect, scope, any)
        if set(defect.predicted) & set(broken):
            return tuple(broken.values())
    return ()


def near(defect: Defect, scopes: Iterable[Scope]) -> list[Scope]:
    """The scopes, first those in which happens what the predicted rules are about, and small ones before large ones."""
    return sorted(scopes, key=lambda scope: (-_concern(defect, scope), scope.edges))


def _concern(defect: Defect, scope: Scope) -> int:
    """How many of the predicted rules are about what happens in this scope and in few others."""
    rules = [BOOK.rule(name) for name in defect.predicted]
    return sum(bool(rule.needs & scope.needs) or rule.contracts == {scope.contract} for rule in rules)


def _broken_within(
    edges_max: int,
    defect: Defect,
    scope: Scope,
    how_many: Callable[[Iterable[bool]], bool],
    rules: Iterable[Rule] | None = None,
) -> dict[str, Broken]:
    def is_enough(found: Exploration) -> bool:
        return how_many(rule in found.broken for rule in defect.predicted) or found.edges >= edges_max

    return explore(scope, defect.step, show=defect.show, rules=rules, stop_at=is_enough).broken


def defect_named(name: str) -> Defect:
    """A defect by its name. Raises KeepfactError with names like it."""
    if name in DEFECTS:
        return DEFECTS[name]
    like = get_close_matches(name, DEFECTS) or ["the_fence_is_not_checked"]
    raise KeepfactError(
        f"expected a defect of the model, as {', '.join(like)}, but got {name!r}. "
        "`keepfact defects --system model` lists them."
    )


def verdict_of_matrix(
    control: Iterable[ScopeRecord], defects: Sequence[DefectRecord], rules: Iterable[Rule]
) -> Verdict:
    """No pass without every defect caught by all rules that it names, and every rule named by a defect."""
    is_caught = all(set(defect.predicted) <= set(defect.killed_by) for defect in defects)
    named = {rule for defect in defects for rule in defect.predicted}
    is_whole = is_caught and named == {rule.id for rule in rules}
    verdict = worst(scope.verdict for scope in control)
    return verdict if is_whole else worst([verdict, Verdict.INCONCLUSIVE])


def explored(name: str) -> ScopeRecord:
    """One scope, by its name, explored to the last edge."""
    scope = next(scope for scope in SCOPES if scope.name == name)
    return scope_record(explore(scope))


def hunted(name: str) -> DefectRecord:
    """One defect, by its name, hunted through all scopes."""
    return hunt(DEFECTS[name])


def scope_record(found: Exploration) -> ScopeRecord:
    """What an exploration found. A size other than the pinned one means that the model or the scope has changed."""
    pinned = (found.scope.states, found.scope.edges) == (found.states, found.edges)
    clean = Verdict.HOLDS if pinned else Verdict.INCONCLUSIVE
    return ScopeRecord(
        name=found.scope.name,
        bounds=found.scope.bounds,
        states=found.states,
        edges=found.edges,
        pinned_states=found.scope.states,
        pinned_edges=found.scope.edges,
        checked=dict(sorted(found.spoken.items())),
        states_without_end=found.states_without_end,
        verdict=clean if found.is_clean else Verdict.VIOLATED,
    )


class Proving:
    """Proves the model in a process of its own, beside whatever else is being done."""

    def __init__(
        self, contracts: frozenset[Contract], capabilities: frozenset[Capability], judged: frozenset[str] | None = None
    ) -> None:
        spawning = multiprocessing.get_context("spawn")
        self._answer, answering = spawning.Pipe(duplex=False)
        asked = answering, contracts, capabilities, judged
        self._process = spawning.Process(target=_prove_and_send, args=asked, daemon=True)
        # Ctrl-C reaches the whole group, but the parent decides what ends when: a child begins with what is blocked
        # here. Multiprocessing's own helper, which it starts along with the first child, would unblock it again.
        resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        answering.close()

    def result(self) -> SelfTest:
        """Wait for it. If the process died there is no proof, so no rule counts as one that could have failed."""
        with suppress(EOFError):
            proof: SelfTest = self._answer.recv()
            return proof
        return SelfTest((), ())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Stop it, whether it is done or not."""
        self._process.kill()
        self._process.join()
        self._answer.close()


def _prove_and_send(
    answering: Connection,
    contracts: frozenset[Contract],
    capabilities: frozenset[Capability],
    judged: frozenset[str] | None,
) -> None:
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    answering.send(prove_the_model(contracts, capabilities, judged))
    answering.close()


def _end_with_the_parent() -> None:
    """A parent that was killed cannot stop us."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
