"""Findings are traced across runs: what a run was handed, what it made of it, and what may be read of that later."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from keepfact.conformance.systems.postgres import Postgres
from keepfact.impl.server import Server
from keepfact.spec.vocabulary import (
    Claim,
    CommandId,
    Continue,
    Contract,
    Done,
    Fail,
    Fence,
    Grant,
    MaterialId,
    Outcome,
    ReadMaterial,
    Reason,
    Refused,
    Revoke,
    RunId,
    SaveMaterial,
    SourceId,
    Submit,
    UserId,
    WorkerId,
)

from .driving import fresh

NOTE, SUMMARY, CORRECTED = MaterialId("note"), MaterialId("summary"), MaterialId("corrected")
MISSING, UNREADABLE = Refused(Reason.NO_SUCH_MATERIAL), Refused(Reason.NOT_READABLE)


@pytest.fixture(scope="module")
def system(server: Server) -> Iterator[Postgres]:
    opened = Postgres(server=server)
    yield opened
    opened.close()


@dataclass
class Line:
    """Runs that continue each other, for a user who may read two sources; the last of them is at work."""

    system: Postgres
    runs: list[RunId] = field(default_factory=list)
    user: UserId = field(default_factory=lambda: UserId(fresh("user")))
    fund: SourceId = field(default_factory=lambda: SourceId(fresh("fund")))
    index: SourceId = field(default_factory=lambda: SourceId(fresh("index")))

    def begun(self) -> "Line":
        self.runs.append(RunId(fresh("run")))
        assert self.system.perform(Submit(_id(), self.runs[-1], Contract.SETTLE, 1)) == Done()
        for source in (self.fund, self.index):
            assert self.system.perform(Grant(_id(), source, self.user)) == Done()
        return self._claimed()

    def continued(self) -> "Line":
        """The run ends, and another one continues it."""
        assert self.system.perform(Fail(_id(), self.runs[-1], Fence(1))) == Done()
        self.runs.append(RunId(fresh("run")))
        continuing = Continue(_id(), self.runs[-1], self.runs[-2], self.user, Contract.SETTLE, 1)
        assert self.system.perform(continuing) == Done()
        return self._claimed()

    def _claimed(self) -> "Line":
        assert isinstance(self.system.perform(Claim(_id(), self.runs[-1], WorkerId("worker"))), Done)
        return self

    def save(
        self,
        material: MaterialId,
        source: SourceId,
        *derived_from: MaterialId,
        replaces: MaterialId | None = None,
    ) -> Outcome:
        lineage = (derived_from, replaces)
        return self.system.perform(
            SaveMaterial(_id(), self.runs[-1], Fence(1), material, source, "digest", "today", 60, *lineage)
        )

    def read(self, material: MaterialId) -> Outcome:
        return self.system.perform(ReadMaterial(_id(), self.runs[-1], Fence(1), material))

    def revoke(self) -> "Line":
        """The user may read the fund no more."""
        assert self.system.perform(Revoke(_id(), self.fund, self.user)) == Done()
        return self

    @property
    def handed(self) -> list[MaterialId]:
        return [view.material for view in self.system.observe(self.runs).runs[-1].inherited]


@pytest.fixture
def line(system: Postgres) -> Line:
    """A run at work that was handed a note from the fund."""
    begun = Line(system).begun()
    assert begun.save(NOTE, begun.fund) == Done()
    return begun.continued()


def test_a_summary_may_rest_on_what_was_handed_over_and_only_on_that(line: Line) -> None:
    assert line.save(SUMMARY, line.index, NOTE, CORRECTED) == MISSING
    assert line.save(SUMMARY, line.index, NOTE) == Done()
    assert line.continued().handed == [NOTE, SUMMARY]


def test_what_was_handed_over_is_not_its_own_to_replace(line: Line) -> None:
    assert line.save(CORRECTED, line.index, replaces=NOTE) == MISSING
    assert line.save(NOTE, line.index) == Done()
    assert line.save(CORRECTED, line.index, replaces=NOTE) == Done()


def test_a_summary_is_read_and_handed_on_as_long_as_what_its_run_was_handed(line: Line) -> None:
    line.save(SUMMARY, line.index, NOTE)
    assert line.continued().read(SUMMARY) == Done()
    assert line.revoke().read(SUMMARY) == UNREADABLE
    assert line.continued().handed == []


def test_so_is_a_summary_of_a_summary_two_runs_later(line: Line) -> None:
    line.save(SUMMARY, line.index, NOTE)
    line.continued().save(CORRECTED, line.index, SUMMARY)
    assert line.continued().handed == [NOTE, SUMMARY, CORRECTED]
    assert line.revoke().continued().handed == []


def test_a_finding_of_its_own_counts_before_one_that_was_handed_over(line: Line) -> None:
    line.save(NOTE, line.index)
    line.save(SUMMARY, line.index, NOTE)
    assert line.revoke().continued().handed == [NOTE, SUMMARY]


def test_a_finding_that_is_saved_later_takes_the_place_of_none(line: Line) -> None:
    line.save(SUMMARY, line.index, NOTE)
    line.save(NOTE, line.index)
    assert line.revoke().continued().handed == [NOTE]


def test_of_two_that_were_handed_over_under_one_name_the_first_counts(line: Line) -> None:
    line.save(NOTE, line.index)
    line.continued().save(SUMMARY, line.index, NOTE)
    assert line.continued().handed == [NOTE, NOTE, SUMMARY]
    assert line.revoke().continued().handed == [NOTE]


def _id() -> CommandId:
    return CommandId(fresh("command"))
