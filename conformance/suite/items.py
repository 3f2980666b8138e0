"""The tests of the suite: one a tour of the model, one a part of the search."""

from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import pytest

from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.profiles import Effort
from keepfact.conformance.system import declared_by
from keepfact.conformance.touring import fitting_tours, scope_names
from keepfact.model.paths import Walk
from keepfact.spec.book import BOOK

from . import SUITE
from .bench import Bench, Tried, Wanted, open_bench
from .naming import named

TOURS, SEARCH = "tours", "search"
_TRACES_A_PART = 15
_SEEDS_APART = 10_007
"""A search begins anew with the next seed, where it must; the parts stay apart by more than that."""


class Suite(pytest.Directory):
    """Opens the system, since what is tried depends on what it declares; it is closed when the session is over."""

    wanted: Wanted

    @classmethod
    def of(cls, parent: pytest.Collector, path: Path, wanted: Wanted) -> Self:
        suite: Self = cls.from_parent(parent, path=path, nodeid=SUITE)
        suite.wanted = wanted
        return suite

    def collect(self) -> Iterator[pytest.Item]:
        """The tours, with the parts of the search spread among them, so that workers share those, too."""
        bench = self._opened()
        parts = list(self._parts(bench))
        tours = list(self._tours(bench))
        every = len(tours) // len(parts) + 1
        for number, tour in enumerate(tours):
            if number % every == 0:
                yield parts.pop(0)
            yield tour
        yield from parts

    def _opened(self) -> Bench:
        try:
            bench = open_bench(self.wanted)
        except KeepfactError as error:
            raise self.CollectError(f"keepfact: {error}") from error
        self.config.add_cleanup(bench.close)
        return bench

    def _tours(self, bench: Bench) -> Iterator["TourItem"]:
        declared = declared_by(bench.system)
        walks = fitting_tours(bench.system, briefly=self.wanted.effort.tours_in_brief)
        rules = [rule for rule in BOOK.rules if rule.applies_to(*declared) and not rule.needs_world]
        for tour in named(walks, scope_names(*declared), rules):
            item: TourItem = TourItem.from_parent(self, name=f"{TOURS}[{tour.name}]")
            item.bench, item.walk = bench, tour.walk
            for marker in (TOURS, *tour.chapters):
                item.add_marker(marker)
            yield item

    def _parts(self, bench: Bench) -> Iterator["SearchItem"]:
        effort = self.wanted.effort
        count = -(-effort.traces // _TRACES_A_PART)
        for number in range(count):
            item: SearchItem = SearchItem.from_parent(self, name=f"{SEARCH}[part {number + 1} of {count}]")
            item.bench = bench
            item.effort = Effort(min(_TRACES_A_PART, effort.traces - number * _TRACES_A_PART), effort.steps)
            item.seed = self.wanted.seed + number * _SEEDS_APART
            item.add_marker(SEARCH)
            yield item


class StoryError(AssertionError):
    """The message is the story."""


class Trying(pytest.Item):
    """One thing that is tried. It is done in the setup: what keeps it from being done is an error, not a failure."""

    bench: Bench
    tried: Tried

    @abstractmethod
    def attempt(self) -> Tried:
        """Do it. KeepfactError if the adapter or its surroundings are not as they must be."""

    def setup(self) -> None:
        self._properties_of_the_system()
        try:
            self.tried = self.attempt()
        except KeepfactError as error:
            pytest.fail(f"keepfact: {error}", pytrace=False)
        spoken = [rule for rule, parts in self.tried.judge.spoken.items() if parts]
        self._say("rules", " ".join(spoken))
        if self.tried.judge.crashes:
            pytest.fail(f"keepfact: INCONCLUSIVE: rules crashed: {self.tried.judge.crashes}", pytrace=False)
        if not self.tried.found.failures and (reason := self.inconclusive()):
            pytest.fail(f"keepfact: INCONCLUSIVE: {reason}", pytrace=False)

    def runtest(self) -> None:
        found = self.tried.found
        if found.failures:
            raise StoryError(self.bench.told(found.failures[-1], found.note))

    def inconclusive(self) -> str:
        """Why nothing can be said although nothing was broken; nothing, if something can."""
        return "" if self.tried.done else "nothing that was asked was done, so nothing was shown"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> str:  # type: ignore[override] # of fewer
        if isinstance(excinfo.value, StoryError | KeepfactError):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.name

    def _properties_of_the_system(self) -> None:
        system = self.bench.system
        self._say("system", self.bench.wanted.system)
        self._say("versions", ", ".join(f"{name} {version}" for name, version in self.bench.versions.items()))
        for name, declared in zip(("contracts", "capabilities"), declared_by(system), strict=True):
            self._say(name, " ".join(sorted(declared)))
        self._say("book", BOOK.digest)

    def _say(self, name: str, value: str) -> None:
        self.user_properties.append((name, value))


class TourItem(Trying):
    walk: Walk

    def attempt(self) -> Tried:
        return self.bench.tour(self.walk)

    def inconclusive(self) -> str:
        """Some tours are of refusals only; but an answer that does not come answers nothing."""
        return "answers were lost however often it was tried, so its end was not seen" if self.tried.unheard else ""


class SearchItem(Trying):
    effort: Effort
    seed: int

    def attempt(self) -> Tried:
        self._say("seed", str(self.seed))
        return self.bench.search(self.effort, self.seed)
