"""What is left is found, whatever it is."""

import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager

import pytest

from .leaving import nothing_is_left


@contextmanager
def _descriptor() -> Iterator[object]:
    with closing(socket.socket()) as left:
        yield left


@contextmanager
def _process_nobody_waited_for() -> Iterator[object]:
    with subprocess.Popen("true", process_group=0) as left:
        yield left


@contextmanager
def _thread() -> Iterator[object]:
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    yield thread
    end.set()
    thread.join()


@contextmanager
def _folder() -> Iterator[object]:
    with tempfile.TemporaryDirectory() as left:
        yield left


@pytest.mark.parametrize("leave", [_descriptor, _process_nobody_waited_for, _thread, _folder])
def test_what_is_left_is_found(leave: object) -> None:
    with ExitStack() as later, pytest.raises(AssertionError), nothing_is_left():
        later.enter_context(leave())  # type: ignore[operator]  # each makes a context


def test_what_is_gone_is_not_left() -> None:
    with nothing_is_left():
        for leave in (_descriptor, _process_nobody_waited_for, _thread, _folder):
            with leave():
                pass
