"""The scopes explored to the last edge, once for all tests that look at them."""

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from keepfact.model.explore import Exploration, explore
from keepfact.model.scopes import SCOPES, Scope
from keepfact.model.tours import EdgeClass, edge_class
from keepfact.spec.book import BOOK
from keepfact.spec.chapter import Chapter
from keepfact.spec.vocabulary import Step


@dataclass(frozen=True)
class Explored:
    """What was found, and every class of edge that was there."""

    found: Exploration
    classes: frozenset[EdgeClass]


@pytest.fixture(scope="session")
def explored() -> Mapping[str, Explored]:
    return {scope.name: _explore(scope) for scope in SCOPES}


def _explore(scope: Scope) -> Explored:
    """Explore with every rule of the book, and with one that only listens."""
    classes: set[EdgeClass] = set()
    chapter = Chapter("TEST", "Of tests")

    @chapter.rule(1)
    def listens(edge: Step) -> None:
        """Whatever happens is heard."""
        classes.add(edge_class(edge))

    found = explore(scope, rules=(*BOOK.rules, *chapter.rules))
    return Explored(found, frozenset(classes))
