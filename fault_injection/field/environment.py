"""A cell's own Python: a virtual environment with exactly what its requirements.txt pins, made when first needed."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

from keepfact.conformance.errors import KeepfactError

REQUIREMENTS, NODE = "requirements.txt", "package.json"
TOLD_CHARACTERS = 1500

Tell = Callable[[str], None]
"""Says on the terminal what is going on."""


def python_of(cell: Path, tell: Tell) -> Path:
    """The Python that the cell's files run with; without requirements our own. Raises KeepfactError."""
    if not (cell / REQUIREMENTS).exists():
        return Path(sys.executable)
    return home_of(cell, tell) / "bin" / "python"


def home_of(cell: Path, tell: Tell) -> Path:
    """The folder of the environment; it is made in one go, or not at all, however many ask for it at once."""
    folder = cache_folder() / f"{cell.name}-{_digest(cell)}"
    if (folder / "ready").exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "ready").exists():
            _make(cell, folder, tell)
    return folder


def cache_folder() -> Path:
    """Where environments are kept; they can be removed at any time."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base, "keepfact", "cells")


def is_made(cell: Path) -> bool:
    """Nothing has to be installed before the cell can run."""
    return not (cell / REQUIREMENTS).exists() or (cache_folder() / f"{cell.name}-{_digest(cell)}" / "ready").exists()


def _digest(cell: Path) -> str:
    """What is pinned, and for which Python: another of either is another environment."""
    digest = hashlib.sha256(sys.version.encode())
    for name in (REQUIREMENTS, NODE):
        if (cell / name).exists():
            digest.update((cell / name).read_bytes())
    return digest.hexdigest()[:16]


def _make(cell: Path, folder: Path, tell: Tell) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    tell(f"{cell.name}: making its environment in {folder}")
    try:
        venv.create(folder, with_pip=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
        tell(f"{cell.name}: installing {REQUIREMENTS} with pip, from PyPI")
        _run([*pip, "install", "--no-input", "-q", "-r", str(cell / REQUIREMENTS)], folder, cell, "PyPI")
        if (cell / NODE).exists():
            if shutil.which("npm") is None:
                raise KeepfactError(f"expected npm, which {cell.name} needs for its server, but it is not on the PATH.")
            shutil.copy(cell / NODE, folder)
            tell(f"{cell.name}: installing {NODE} with npm")
            _run(["npm", "install", "--silent", "--no-audit", "--no-fund"], folder, cell, "the npm registry")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    (folder / "ready").touch()


def _run(command: list[str], folder: Path, cell: Path, source: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise KeepfactError(
            f"expected to install what {cell.name} pins, but {command[0].rpartition('/')[2]} ended with "
            f"{done.returncode}: {(done.stderr or done.stdout)[-TOLD_CHARACTERS:].strip()}\n"
            f"Look whether {source} can be reached from here, and try again; nothing was left behind."
        )
