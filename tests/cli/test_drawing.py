"""Pictures of the model: drawn where they are wanted, in the format that the name says, or a clear word why not."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from .command import Ended
from .command import quickly as keepfact


def drawn(*arguments: object, cwd: Path) -> Ended:
    return keepfact("explore", *arguments, cwd=cwd)


def test_a_scope_is_drawn_beside_its_verdict(tmp_path: Path) -> None:
    (tmp_path / "timers.svg").write_text("an older picture")
    told = drawn("--scope", "timers", "--picture", "timers.svg", cwd=tmp_path)
    assert (told.code, told.stderr) == (0, "")
    assert "picture timers.svg" in told.said
    assert "HOLDS" in told.said
    title = ElementTree.parse(tmp_path / "timers.svg").getroot()[0]
    assert (title.text or "").startswith("Scope timers: ")
    assert [path.name for path in tmp_path.iterdir()] == ["timers.svg"]


def test_a_scope_is_written_as_mermaid(tmp_path: Path) -> None:
    assert drawn("--scope", "timers", "--picture", tmp_path / "timers.MMD", cwd=tmp_path).code == 0
    assert (tmp_path / "timers.MMD").read_text().startswith("stateDiagram-v2\n")


@pytest.mark.parametrize(("name", "begins"), [("how.svg", "<svg "), ("how.mmd", "sequenceDiagram\n")])
def test_how_a_defect_shows_is_drawn_and_still_a_violation(name: str, begins: str, tmp_path: Path) -> None:
    told = drawn("--defect", "a_lapsed_lease_may_write", "--picture", name, cwd=tmp_path)
    assert told.code == 1
    assert "FENCE.3 is broken" in told.said
    assert told.said.endswith(f"picture {name}")
    picture = (tmp_path / name).read_text()
    assert picture.startswith(begins)
    assert "How FENCE.3 is broken, in 4 steps" in picture


def test_a_defect_that_does_not_show_is_not_drawn(tmp_path: Path) -> None:
    told = drawn(
        *("--scope", "timers", "--defect", "recovery_clears_the_partial_body", "--picture", "how.svg"), cwd=tmp_path
    )
    assert told.code == 3
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--scope", "timers", "--picture", "timers.png"], "whose name ends in .svg or .mmd, but got 'timers.png'"),
        (["--scope", "timers", "--picture", "timers"], "whose name ends in .svg or .mmd, but got 'timers'"),
        (
            ["--scope", "timers", "--picture", "absent/timers.svg"],
            "in a folder that is there, but got 'absent/timers.svg'",
        ),
        (["--picture", "all.svg"], "a scope or a defect to make a picture of"),
    ],
    ids=["another suffix", "no suffix", "no folder", "of nothing"],
)
def test_what_cannot_be_drawn_is_told_before_anything_is_explored(
    arguments: list[str], said: str, tmp_path: Path
) -> None:
    told = drawn(*arguments, cwd=tmp_path)
    assert (told.code, told.stdout) == (2, "")
    (line,) = told.stderr.splitlines()
    assert line.startswith("keepfact: expected ")
    assert said in line
    assert list(tmp_path.iterdir()) == []
