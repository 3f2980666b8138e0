"""Work that is shared out comes back whole, or with an error; never as if what nobody did had been done."""

import os
import signal
from concurrent.futures.process import BrokenProcessPool

import pytest

from keepfact.conformance.crew import shared_out


def doubled(number: int) -> int:
    return 2 * number


def where(_: int) -> int:
    return os.getpid()


def fails_at_two(number: int) -> int:
    if number == 2:
        raise ValueError("two is too much")
    return number


def dies_at_two(number: int) -> int:
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def hears_ctrl_c(number: int) -> int:
    os.kill(os.getpid(), signal.SIGINT)
    return number


def test_every_part_comes_back_once_in_whatever_order() -> None:
    assert sorted(shared_out(doubled, range(20), jobs=2)) == [2 * number for number in range(20)]


def test_nothing_to_do_is_done() -> None:
    assert list(shared_out(doubled, [], jobs=2)) == []


def test_it_is_done_in_other_processes_and_no_more_than_allowed() -> None:
    pids = set(shared_out(where, range(10), jobs=2))
    assert os.getpid() not in pids
    assert len(pids) <= 2


def test_an_error_in_one_part_is_an_error() -> None:
    with pytest.raises(ValueError, match="two is too much"):
        list(shared_out(fails_at_two, range(5), jobs=2))


def test_a_process_that_dies_is_an_error() -> None:
    with pytest.raises(BrokenProcessPool):
        list(shared_out(dies_at_two, range(5), jobs=2))


def test_ctrl_c_is_left_to_the_parent() -> None:
    assert sorted(shared_out(hears_ctrl_c, range(3), jobs=1)) == [0, 1, 2]


def test_whoever_wants_no_more_need_not_wait_for_all() -> None:
    results = shared_out(doubled, range(200), jobs=1)
    assert next(results) in {2 * number for number in range(200)}
    results.close()  # type: ignore[attr-defined]  # it is a generator
    assert list(results) == []
