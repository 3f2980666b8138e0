"""Small evidence, made once for all tests, and copies of it to be spoiled."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from keepfact.conformance.verification import Conclusion

from ..toys import SpineOnly
from .left import left


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Conclusion]:
    """Of a run that was right."""
    directory = tmp_path_factory.mktemp("left") / "evidence"
    return directory, left(directory, SpineOnly())


@pytest.fixture
def copied(made: tuple[Path, Conclusion], tmp_path: Path) -> Path:
    """A copy of it, for this test alone."""
    return Path(shutil.copytree(made[0], tmp_path / "evidence"))


@pytest.fixture
def spoiled(copied: Path) -> Callable[[str, Callable[[list[bytes]], list[bytes]]], Path]:
    """The copy, in which the lines of one file are not what they were."""

    def spoil(name: str, change: Callable[[list[bytes]], list[bytes]]) -> Path:
        lines = (copied / name).read_bytes().splitlines(keepends=True)
        (copied / name).write_bytes(b"".join(change(lines)))
        return copied

    return spoil
