"""What a tour is called, and which chapters have something to say of it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from keepfact.model.edge_classes import EdgeClass, edge_class
from keepfact.model.paths import Walk, taken
from keepfact.spec.chapter import Rule
from keepfact.spec.vocabulary import Step


@dataclass(frozen=True, slots=True)
class NamedTour:
    """`name` says where it goes through and what it is for: its last step. `chapters` in small letters."""

    name: str
    walk: Walk
    chapters: tuple[str, ...]


def named(walks: Iterable[Walk], scopes: Mapping[Walk, str], rules: Iterable[Rule]) -> Iterator[NamedTour]:
    """The tours in their order. Those of a chapter come first to something that it speaks of: in them is all of it."""
    met, put = set[tuple[str, EdgeClass]](), tuple(rules)
    for walk in walks:
        chapters = dict[str, None]()
        for step in taken(walk):
            last = edge_class(step)
            for rule in _speaking(step, put):
                if (rule.id, last) not in met:
                    met.add((rule.id, last))
                    chapters[rule.chapter.lower()] = None
        yield NamedTour(f"{scopes[walk]}: {_in_words(last)}", walk, tuple(chapters))


def _speaking(step: Step, rules: tuple[Rule, ...]) -> Iterator[Rule]:
    return (rule for rule in rules if rule.is_about(type(step.cause)) and rule.holds(step) is not None)


def _in_words(last: EdgeClass) -> str:
    asked, stood, ended = last
    return f"{asked}, {stood}: {ended}"
