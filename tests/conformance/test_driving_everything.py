"""Lockstep beyond the spine: everything that a system declares is tried, and what is wrong with it is found."""

from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import get_args

import pytest

from keepfact.conformance.choices import Choices
from keepfact.conformance.judge import Judge
from keepfact.conformance.lockstep import Search, search
from keepfact.conformance.profiles import EFFORTS, Profile
from keepfact.conformance.recorder import Move
from keepfact.conformance.systems import open_system
from keepfact.conformance.systems.reference import Reference
from keepfact.conformance.touring import NOT_DRIVEN, tours_of_all
from keepfact.conformance.trial import Trial
from keepfact.model.defects import DEFECTS
from keepfact.spec.book import BOOK
from keepfact.spec.vocabulary import (
    OFFERS,
    Act,
    Asked,
    Asking,
    Capability,
    Command,
    Contract,
    Drift,
    Intend,
    Outcome,
    Reason,
    Recover,
    Refused,
    Session,
    Spine,
    Submit,
    Tick,
)

from .toys import DefectOfTheModel

QUICK = EFFORTS[Profile.QUICK]
DRIVEN = {cause for capability, causes in OFFERS.items() if capability not in NOT_DRIVEN for cause in causes}
NEVER_MET = {Reason.APPROVAL_USED}
"""An approval is used by the operation that it is for, which then is one that was intended already."""


@dataclass
class Heard:
    """What a system was asked, how it answered, and what was made to happen in it."""

    asked: Counter[type] = field(default_factory=Counter)
    reasons: Counter[Reason] = field(default_factory=Counter)
    sessions: set[Session] = field(default_factory=set)
    drifts: set[Drift] = field(default_factory=set)
    contracts: set[Contract] = field(default_factory=set)
    commands: list[Command] = field(default_factory=list)
    beginnings: int = 0
    restarts: int = 0


class Listening(Reference):
    """Right, and remembers."""

    def __init__(self) -> None:
        self.heard = Heard()
        super().__init__()

    def begin(self) -> None:
        self.heard.beginnings += 1
        super().begin()

    def perform(self, command: Command) -> Outcome:
        return self._noted(command, super().perform(command))

    def perform_in(self, session: Session, command: Command) -> Outcome:
        self.heard.sessions.add(session)
        return self._noted(command, super().perform_in(session, command))

    def drift(self, what: Drift) -> None:
        self.heard.drifts.add(what)
        super().drift(what)

    def restart(self) -> None:
        self.heard.restarts += 1
        super().restart()

    def _noted(self, command: Command, outcome: Outcome) -> Outcome:
        self.heard.asked[type(command)] += 1
        self.heard.commands.append(command)
        if isinstance(command, Submit):
            self.heard.contracts.add(command.contract)
        if isinstance(outcome, Refused):
            self.heard.reasons[outcome.reason] += 1
        return outcome


@cache
def searched(seed: int) -> tuple[Search, Judge, Heard]:
    """A search of everything, made once for all tests."""
    system = Listening()
    judge = Judge(system.contracts, capabilities=system.capabilities)
    return search(system, judge, None, QUICK, seed), judge, system.heard


def test_the_reference_agrees_in_everything_and_every_command_is_done_and_refused() -> None:
    found, _, _ = searched(1)
    assert found.failures == []
    expected = {*get_args(Spine), *(cause for cause in DRIVEN if issubclass(cause, Asked))}
    assert set(found.outcomes) == {command.__name__ for command in expected}
    for outcomes in found.outcomes.values():
        assert outcomes["Done"] > 0


def test_every_rule_speaks_that_can_be_judged_in_lockstep() -> None:
    _, judge, _ = searched(1)
    system = Reference()
    applying = [rule for rule in BOOK.rules if rule.applies_to(system.contracts, system.capabilities)]
    assert [rule.id for rule in applying if not rule.needs_world and not judge.spoken[rule.id]] == []
    assert {rule.id for rule in BOOK.rules if rule not in applying} == {"VERSION.7"}
    assert judge.crashes == {}


def test_every_reason_to_refuse_is_met_sooner_or_later() -> None:
    met = {*searched(1)[2].reasons, *wandered(frozenset(Reference.capabilities), 300).reasons}
    assert set(Reason) - met == NEVER_MET


def test_whatever_a_harness_makes_happen_is_delivered_to_the_system() -> None:
    found, _, heard = searched(1)
    assert heard.contracts == set(Contract)
    assert {Drift.RESOURCE, Drift.PERMISSION} <= heard.drifts <= set(Drift)
    assert heard.restarts > 1
    assert {session.tenant for session in heard.sessions} == {"tenant", "stranger"}
    assert heard.beginnings >= found.traces


def test_every_trace_begins_afresh() -> None:
    system = Reference()
    for name in ("first-", "second-"):
        judge = Judge(system.contracts, capabilities=system.capabilities)
        assert search(system, judge, None, QUICK, 1, name=name).failures == [], name


@pytest.mark.parametrize("capability", sorted(set(Capability) - NOT_DRIVEN))
def test_what_is_not_declared_is_not_asked(capability: Capability) -> None:
    """Each capability alone; only an approval makes no sense without a wake."""
    alone = frozenset({capability, *([Capability.WAITS] if capability is Capability.APPROVALS else [])})
    heard = wandered(alone, 20)
    assert set(heard.asked) <= {*get_args(Spine), *(cause for one in alone for cause in OFFERS[one])}
    assert bool(heard.sessions) is (capability is Capability.SESSIONS)
    assert bool(heard.drifts) is (capability is Capability.APPROVALS)
    assert bool(heard.restarts) is (Capability.WAITS in alone)
    assert _says_more_than_the_spine(heard) <= {capability}


@cache
def wandered(capabilities: frozenset[Capability], traces: int) -> Heard:
    """What a system with these hears when chance chooses, without any tours."""
    system, chance = Listening(), Random(1)
    system.capabilities = capabilities
    judge = Judge(system.contracts, capabilities=capabilities)
    for number in range(traces):
        trial = Trial(system, judge, None, f"wandering-{number}")
        choices = Choices(trial, system)
        for _ in range(30):
            trial.make(Move(choices.next_cause(chance.choice)))
    return system.heard


@pytest.mark.parametrize("capability", sorted(set(Capability) - NOT_DRIVEN))
def test_tours_ask_nothing_that_is_not_declared(capability: Capability) -> None:
    walks = tours_of_all(frozenset(Contract), frozenset({capability}))
    causes = [cause.command if isinstance(cause, Asking) else cause for walk in walks for cause in walk]
    assert {type(cause) for cause in causes} <= {*get_args(Spine), Tick, Act, *OFFERS[capability]}


def _says_more_than_the_spine(heard: Heard) -> set[Capability]:
    """What the fields of commands say that belong to a capability."""
    said = set[Capability]()
    for command in heard.commands:
        match command:
            case Intend(credential=str()):
                said.add(Capability.PAYLOADS)
            case Intend(approval=str()):
                said.add(Capability.APPROVALS)
            case Intend(compensates=str()):
                said.add(Capability.COMPENSATION)
            case Intend(sends_max=sends) if sends != 1:
                said.add(Capability.RESENDING)
            case Recover(seen_fence=int()):
                said.add(Capability.SWEEPS)
            case Submit(request=str()):
                said.add(Capability.CONTINUATION)
            case _:
                pass
    return said


@pytest.mark.parametrize("contract", Contract)
def test_a_system_is_driven_under_the_contracts_that_it_declares_and_no_other(contract: Contract) -> None:
    system = Listening()
    system.contracts = frozenset({contract})
    judge = Judge(system.contracts, capabilities=system.capabilities)
    assert search(system, judge, None, QUICK, 1).failures == []
    assert system.heard.contracts == {contract}


def test_the_quick_profile_says_how_many_tours_it_leaves_out() -> None:
    assert searched(1)[0].tours_left_out > 100
    spine = open_system("toys:SpineOnly")
    assert search(spine, Judge(spine.contracts, capabilities=()), None, QUICK, 1).tours_left_out == 0


# What is wrong is found

WRONG = [
    "a_good_wake_is_called_malformed",
    "an_end_is_overwritten",
    "the_host_decides",
    "a_reader_passes_over_what_commits_late",
    "what_is_needed_is_purged",
    "a_call_is_sent_for_ever",
    "a_child_starts_without_a_budget",
    "deaths_are_not_counted",
    "a_missing_amount_is_zero",
    "what_is_unknown_is_passed_over",
    "a_timer_is_only_in_memory",
    "the_first_of_two_callbacks_wakes",
    "drift_is_not_looked_at",
    "a_cancelled_approval_is_still_decided",
    "an_old_run_takes_the_new_branch",
    "the_end_of_a_migration_stops_workers",
    "what_was_handed_over_outlives_its_grant",
    "a_stranger_reads_by_the_id",
    "everything_is_signed_by_the_service",
]


def test_defects_of_every_chapter_are_looked_for() -> None:
    assert {rule.split(".")[0] for name in WRONG for rule in DEFECTS[name].predicted} == {
        chapter.name for chapter in BOOK.chapters
    }


@pytest.mark.parametrize("name", WRONG)
def test_a_defect_is_found_and_named_by_a_rule_that_was_to_catch_it(name: str) -> None:
    wrong = DefectOfTheModel(DEFECTS[name])
    judge = Judge(wrong.contracts, capabilities=wrong.capabilities)
    found = search(wrong, judge, None, QUICK, 1, concern=wrong.defect.predicted)
    (failure,) = found.failures
    assert set(failure.rules) & set(wrong.defect.predicted)
    assert found.note == ""
    fresh = DefectOfTheModel(wrong.defect)
    again = Trial(fresh, judge.again(), None, "again").run_through(failure.moves)
    assert again is not None
    assert again.rules == failure.rules
