"""`keepfact check`: histories from files, judged and told, with the exit code of the verdict."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from keepfact.cli import app
from keepfact.conformance.second import exported
from keepfact.conformance.selftest import how_it_shows
from keepfact.model.defects import DEFECTS
from keepfact.model.paths import taken
from keepfact.model.scopes import RETRY
from keepfact.model.tours import tours

from .command import quickly as keepfact


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a right, a wrong and an empty history, and with what is none."""
    folder = tmp_path_factory.mktemp("histories")
    (wrong, *_) = how_it_shows(DEFECTS["the_fence_is_not_checked"])
    for name, steps in (("right", taken(max(tours([RETRY]), key=len))), ("wrong", wrong.path), ("empty", ())):
        (folder / name).write_text("".join(json.dumps(exported(step)) + "\n" for step in steps))
    (folder / "none").write_text('{"runs": NaN}')
    return folder


@pytest.mark.parametrize(
    ("names", "code", "said"),
    [
        (["right"], 0, "right: 8 steps, 0 complaints."),
        (
            ["wrong"],
            1,
            "wrong:5: step 5: FENCE.2: it was done; nothing the system shows had changed; expected: A write",
        ),
        (["empty"], 3, "Verdict: NOT_EXERCISED"),
        (["right", "empty"], 3, "Verdict: HOLDS"),
        (["right", "none"], 2, "Verdict: HOLDS"),
        (["none", "wrong"], 1, "Verdict: VIOLATED"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else "",
)
def test_the_worst_of_the_files_is_what_it_ends_with(files: Path, names: list[str], code: int, said: str) -> None:
    ended = CliRunner().invoke(app, ["check", *(str(files / name) for name in names)])
    assert (ended.exit_code, said in " ".join(ended.output.split())) == (code, True), ended.output
    told = f"keepfact: expected numbers on line 1 of {files / 'none'}, but it has NaN, which JSON does not know."
    assert (told in ended.output) is ("none" in names)


def test_what_is_no_history_ends_with_two_and_one_line(files: Path) -> None:
    ended = keepfact("check", "none", "absent", cwd=files)
    assert (ended.code, ended.stdout) == (2, "")
    assert [line[:18] for line in ended.stderr.splitlines()] == ["keepfact: expected"] * 2
