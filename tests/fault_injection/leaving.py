"""Whoever does something leaves nothing of it: no descriptor, no process, no thread and no file."""

import gc
import os
import shutil
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from keepfact.conformance.patience import patiently
from keepfact.conformance.systems.postgres import Postgres


@contextmanager
def nothing_is_left(system: object = None, *, has_workers: bool = True) -> Iterator[None]:
    """What a system keeps open for whoever asks next is no leak: so ours has that before, and drops its connections.

    Raises AssertionError with what there is that was not there before.
    """
    if isinstance(system, Postgres) and has_workers:
        system._nursery.start([], {}).wait()  # ends at once, for want of settings; the nursery stays
    with patiently("be there", 1):
        pass  # the thread that watches over it stays as well
    with _folder_for_what_is_temporary() as temporary:
        before = _all_that_we_have(system)
        yield
        left = _all_that_we_have(system) - before
        if left:  # or only not taken apart yet
            gc.collect()
            left = _all_that_we_have(system) - before
        assert not left, f"expected nothing to be left, but there is {dict(left)}"
        assert [path.name for path in temporary.iterdir()] == []


def _all_that_we_have(system: object) -> "Counter[str]":
    """How many of each kind of thing, by what they are."""
    if isinstance(system, Postgres):
        system.restart()
    descriptors = (_kind_of(path) for path in Path("/proc/self/fd").iterdir())
    return Counter([*descriptors, *children(), *(f"thread {thread.name}" for thread in threading.enumerate())])


def _kind_of(descriptor: Path) -> str:
    """What it is of, but not which one: `socket`, `pipe`, or a file by its name."""
    try:
        return f"descriptor {os.readlink(descriptor).split(':')[0]}"
    except FileNotFoundError:
        return "descriptor of what lists them"


def children() -> list[str]:
    """Our processes, also those that have ended and nobody has waited for."""
    return [f"child {child}" for path in Path("/proc/self/task").glob("*/children") for child in _words(path)]


def _words(path: Path) -> list[str]:
    try:
        return path.read_text().split()
    except (FileNotFoundError, ProcessLookupError):  # of a thread that has ended meanwhile
        return []


@contextmanager
def _folder_for_what_is_temporary() -> Iterator[Path]:
    """Where all that is temporary comes meanwhile, ours and that of processes we start; any user can reach it."""
    folder = Path(tempfile.mkdtemp(prefix="kf-", dir="/tmp"))  # a socket's path may not be long
    folder.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(folder))
        patch.setenv("TMPDIR", str(folder))
        yield folder
    shutil.rmtree(folder, ignore_errors=True)
