"""Evidence directories of each kind, and the page made from one, as a tree."""

from pathlib import Path

import pytest

from . import sample
from .hostile_sample import hostile as hostile_of


@pytest.fixture
def green(tmp_path: Path) -> Path:
    return sample.green(tmp_path / "green")


@pytest.fixture
def violated(tmp_path: Path) -> Path:
    return sample.violated(tmp_path / "violated")


@pytest.fixture
def cut_off(tmp_path: Path) -> Path:
    return sample.cut_off(tmp_path / "cut_off")


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    return hostile_of(tmp_path / "hostile")
