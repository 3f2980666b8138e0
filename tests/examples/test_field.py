"""What docs/field.md tells of cells is what there is, and its example is a cell of under 100 lines."""

import re
from pathlib import Path

import pytest

from keepfact.conformance.field import About, Standing
from keepfact.fault_injection.field.cell import SHARED, find_cells, read_cell
from keepfact.fault_injection.field.environment import REQUIREMENTS
from keepfact.fault_injection.field.experiments import EXPERIMENTS

ROOT = Path(__file__).parents[2]
TOLD = (ROOT / "docs" / "field.md").read_text(encoding="utf-8")
BY_HAND = ROOT / "examples" / "field"
EXAMPLE = ROOT / "examples" / "adapters" / "procrastinate"


@pytest.mark.parametrize("name", [*About.model_fields, *Standing.model_fields, *EXPERIMENTS])
def test_every_name_is_told(name: str) -> None:
    assert f"`{name}`" in TOLD


@pytest.mark.parametrize("name", ["DATABASE", "RELEASE", "WORKER", "ask_model", "use_tool", "transfer", "recorded"])
def test_what_cells_share_is_there(name: str) -> None:
    assert f"`{name}`" in TOLD
    assert name in (SHARED / "outside.py").read_text()


def test_the_page_is_short() -> None:
    assert len(TOLD.splitlines()) < 100


def test_the_example_is_a_cell_of_under_100_lines() -> None:
    cell = read_cell(EXAMPLE)
    lines = [line for script in EXAMPLE.glob("*.py") for line in script.read_text().splitlines() if line.strip()]
    assert len(lines) < 100
    for script in EXAMPLE.glob("*.py"):
        compile(script.read_text(), script, "exec")
    assert all("==" in line for line in (cell.folder / REQUIREMENTS).read_text().split())


@pytest.mark.parametrize("name", ["dbos", "langgraph", "absurd", "temporal", "restate", "naive", "own"])
def test_the_cells_that_are_told_of_are_there(name: str) -> None:
    assert name in find_cells()


def test_whatever_is_said_of_an_engine_can_be_shown_by_hand_without_keepfact() -> None:
    told = (BY_HAND / "README.md").read_text(encoding="utf-8")
    for cell in find_cells().values():
        script = BY_HAND / f"{cell.scripts.name}_by_hand.py"
        assert cell.name in ("own", "naive") or script.name in told
    for script in BY_HAND.glob("*.py"):
        source = script.read_text(encoding="utf-8")
        compile(source, script, "exec")
        assert not re.search(r"^\s*(from|import) keepfact", source, re.MULTILINE)
        assert len([line for line in source.splitlines() if line.strip()]) < 120
