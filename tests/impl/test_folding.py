"""State is what the payloads of the history say: folded, they give every table of the run."""

from collections.abc import Iterator
from typing import Any

import pytest

from keepfact.impl.commands import COMMANDS
from keepfact.spec.vocabulary import EventType

from . import stages as at
from .cases import CASES
from .driving import Driver
from .folding import RULES, folded
from .stages import Stage
from .successes import SUCCESSES, filled

DERIVED = {"known_cents", "held_cents", "unresolved", "delivered"}
"""Sums and choices over what is folded."""

NOT_TOLD = {"run", "tenant", "history", "lease_left_seconds"}
"""What a history is of, and what moves with the clock and with heartbeats."""


@pytest.mark.parametrize("command", COMMANDS)
def test_after_a_command_the_tables_are_what_the_history_says(alone: Driver, command: str) -> None:
    stage, fields = SUCCESSES[command]
    at.done(stage(alone).do(command, **filled(alone, fields)))
    _agree(alone)


@pytest.mark.parametrize("stage", dict.fromkeys(stage for stage, *_ in CASES))
def test_at_every_stage_the_tables_are_what_the_history_says(alone: Driver, stage: Stage) -> None:
    stage(alone)
    _agree(alone)


@pytest.mark.parametrize("deaths", [1, 2])
def test_deaths_are_told_whether_the_run_goes_on_or_is_settled(alone: Driver, deaths: int) -> None:
    at.resuming(alone).with_call()
    for _ in range(deaths):
        at.done(alone.lapsed().do("recover", worker="w"))
    assert alone.view["deaths"] == deaths
    _agree(alone)


def test_what_was_purged_is_gone_from_the_history_too_and_the_digest_stays(alone: Driver) -> None:
    stage, fields = SUCCESSES["purge"]
    stage(alone)
    before = alone.view["history"]
    at.done(alone.do("purge", **fields))
    _agree(alone)
    assert [event["digest"] for event in alone.view["history"]] == [event["digest"] for event in before]


def test_every_type_of_event_is_folded() -> None:
    assert set(RULES) == {kind.value for kind in EventType}


def _agree(run: Driver) -> None:
    """Of the test's own runs, each folds to what is shown of it."""
    runs = [run.run, *(f"{run.run}-{one}" for one in ("child", "source"))]
    for view in run.store.observe(runs, payloads=True):
        assert folded(view["history"]) == dict(_shown(view))


def _shown(view: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The view without what is not folded."""
    for name, value in view.items():
        if name == "waits":
            yield name, [{part: wait[part] for part in wait if part != "left_seconds"} for wait in value]
        elif name == "materials":
            yield name, [{part: one[part] for part in one if part != "fresh_seconds"} for one in value]
        elif name not in DERIVED | NOT_TOLD:
            yield name, value
