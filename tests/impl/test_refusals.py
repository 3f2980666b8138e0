"""Every reason that every command can be refused for, each in a case; a refused command changes nothing."""

import itertools
from collections.abc import Iterator

import pytest

from keepfact.impl.commands import COMMANDS
from keepfact.impl.outcomes import Refused
from keepfact.impl.prepared import Value
from keepfact.spec import vocabulary
from keepfact.spec.entry_points import MAY_ANSWER

from . import stages as at
from .cases import CASES
from .driving import Driver
from .stages import Stage
from .successes import SUCCESSES, filled

WORKED = [name for name, command in COMMANDS.items() if "fence" in command.types]
WIND_UP = ("renew", "record_answer", "mark_unknown", "stop")
"""What a worker may still do after its run was asked to stop."""

LATE: list[tuple[Stage, dict[str, Value], str]] = [
    (at.new, {}, "no_such_run"),
    (at.open_call, {"fence": 0}, "stale_fence"),
    (at.open_call, {"fence": 2}, "stale_fence"),
    (at.open_call, {"fence": None}, "stale_fence"),
    (at.ended, {"fence": 0}, "stale_fence"),
    (at.ended, {}, "sealed"),
    (at.sealed_as_unknown, {}, "sealed"),
    (at.released, {}, "not_running"),
    (at.waiting, {}, "not_running"),
    (at.cancelled_in_queue, {}, "not_running"),
    (at.lapsed, {}, "lease_lapsed"),
]
"""Where nothing of a worker's is heard any more, or not yet."""

GUARDED = [
    *itertools.product(WORKED, LATE),
    *((name, (at.cancelling, {}, "cancelling")) for name in WORKED if name not in WIND_UP),
]

CANNOT_COME_ABOUT = {
    ("decide", "sealed"): "what seals a run that waits closes its waits, and that is told first",
    ("intend", "approval_used"): "it was used by the intent of this call, and then the call is known",
    ("send_again", "not_approved"): "a call that was intended is not asked about any more",
    ("send_again", "denied"): "nor is it intended once it was denied",
}
"""What the specification allows for, and no order of commands leads to here."""

EVERYWHERE = {"malformed", "command_id_conflict", "not_allowed"}
"""What every command can be refused for, at its id or at another door: asked of all in other modules."""


@pytest.mark.parametrize(("stage", "command", "fields", "reason"), CASES)
def test_a_refused_command_names_the_reason_and_changes_nothing(
    alone: Driver, stage: Stage, command: str, fields: dict[str, Value], reason: str
) -> None:
    _is_refused(stage(alone), command, fields, reason)


@pytest.mark.parametrize(("command", "late"), GUARDED)
def test_no_command_of_a_worker_gets_past_its_guard(
    alone: Driver, command: str, late: tuple[Stage, dict[str, Value], str]
) -> None:
    stage, fields, reason = late
    _is_refused(stage(alone), command, fields, reason)


def _is_refused(run: Driver, command: str, fields: dict[str, Value], reason: str) -> None:
    before = _seen(run)
    outcome = run.do(command, **filled(run, {**SUCCESSES[command][1], **fields}))
    assert isinstance(outcome, Refused)
    assert outcome.reason == reason
    assert _seen(run) == before


def _seen(run: Driver) -> object:
    """All that the test's own runs show, and what stands beside them."""
    return run.store.survey([run.run, *(f"{run.run}-{one}" for one in ("child", "source", "other"))])


def test_no_reason_that_the_specification_names_for_a_command_is_without_a_case() -> None:
    cases = {(command, reason) for _, command, _, reason in CASES}
    guarded = {(command, reason) for command, (_, _, reason) in GUARDED}
    asked_elsewhere = {
        *itertools.product(COMMANDS, EVERYWHERE),
        *CANNOT_COME_ABOUT,
        *((name, "cancelling") for name in WIND_UP),
        ("submit", "no_such_run"),  # of another tenant's run
    }
    assert set(_allowed()) == cases | guarded | (asked_elsewhere & set(_allowed()))
    assert not CANNOT_COME_ABOUT.keys() & (cases | guarded)


def _allowed() -> Iterator[tuple[str, str]]:
    for reason, classes in MAY_ANSWER.items():
        for name in COMMANDS:
            if issubclass(getattr(vocabulary, name.title().replace("_", "")), classes):
                yield name, reason.value


def test_every_command_stands_at_the_door_that_the_specification_names() -> None:
    for name, command in COMMANDS.items():
        assert getattr(vocabulary, name.title().replace("_", "")).entry_point == command.entry_point


def test_a_refusal_lists_the_runs_in_its_way(alone: Driver) -> None:
    at.running(alone)
    assert alone.do("retire", bundle="bundle-1") == Refused("bundle_needed", (alone.run,))
