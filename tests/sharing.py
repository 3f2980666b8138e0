"""What is dear to make and several pytest processes need: the first makes it, the others wait for it and read it."""

import fcntl
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def shared_folder(factory: pytest.TempPathFactory) -> Path:
    """One for all processes of a session."""
    base = factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


def made_once(folder: Path, name: str, make: Callable[[], Any]) -> Any:
    """What `make` gives, made by one process of those that share the folder."""
    made = folder / f"{name}.pickle"
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            made.write_bytes(pickle.dumps(make()))
    return pickle.loads(made.read_bytes())
