"""The scopes explored to the last edge, once for all tests that look at them."""

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from keepfact.model.explore import Exploration, explore
from keepfact.model.scopes import SCOPES, Scope
from keepfact.model.tours import EdgeClass, edge_class
from keepfact.spec.book import BOOK
from keepfact.spec.chapter import BOTH, Kind, Rule
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

    def listen(edge: Step) -> None:
        classes.add(edge_class(edge))

    listening = Rule("TEST.1", "TEST", 1, "listen", "Listens.", "", BOTH, Kind.CONFORMANCE, None, listen)
    found = explore(scope, rules=(*BOOK.rules, listening))
    return Explored(found, frozenset(classes))
