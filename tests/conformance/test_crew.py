"""Work that is shared out comes back whole, or with an error; never as if what nobody did had been done."""

import importlib
import os
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import pytest

from keepfact.conformance.crew import shared_out


@pytest.fixture
def parts() -> Any:
    """The module as other processes can import it: not as a part of this one."""
    return importlib.import_module("parts")


def test_every_part_comes_back_once_in_whatever_order(parts: Any) -> None:
    assert sorted(shared_out(parts.doubled, range(20), jobs=2)) == [2 * number for number in range(20)]


def test_nothing_to_do_is_done(parts: Any) -> None:
    assert list(shared_out(parts.doubled, [], jobs=2)) == []


def test_it_is_done_in_other_processes_and_no_more_than_allowed(parts: Any) -> None:
    pids = set(shared_out(parts.where, range(10), jobs=2))
    assert os.getpid() not in pids
    assert len(pids) <= 2


def test_an_error_in_one_part_is_an_error(parts: Any) -> None:
    with pytest.raises(ValueError, match="two is too much"):
        list(shared_out(parts.fails_at_two, range(5), jobs=2))


def test_a_process_that_dies_is_an_error(parts: Any) -> None:
    with pytest.raises(BrokenProcessPool):
        list(shared_out(parts.dies_at_two, range(5), jobs=2))


def test_ctrl_c_is_left_to_the_parent(parts: Any) -> None:
    assert sorted(shared_out(parts.hears_ctrl_c, range(3), jobs=1)) == [0, 1, 2]


def test_whoever_wants_no_more_need_not_wait_for_all(parts: Any) -> None:
    results = shared_out(parts.doubled, range(200), jobs=1)
    assert next(results) in {2 * number for number in range(200)}
    results.close()  # type: ignore[attr-defined]  # it is a generator
    assert list(results) == []


def test_what_is_under_way_is_ended_when_nobody_waits_for_it(parts: Any) -> None:
    results = shared_out(parts.never_ends_but_at_zero, range(2), jobs=2)
    assert next(results) == 0
    results.close()  # type: ignore[attr-defined]  # it would wait for ever
