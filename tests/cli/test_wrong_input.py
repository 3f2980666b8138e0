"""Whatever is wrong with what was asked ends with 2 and one clear line, and is never mistaken for a verdict."""

import os
import socket
from collections.abc import Sequence
from pathlib import Path

import pytest

from .command import Ended
from .command import quickly as keepfact

PASSWORD = "hunter2-and-more"


def in_words(value: Sequence[str] | str) -> str:
    return "" if isinstance(value, str) else " ".join(value)


def told_in_one_line(ended: Ended) -> str:
    assert ended.code == 2
    assert "Traceback" not in ended.stdout + ended.stderr
    assert PASSWORD not in ended.stdout + ended.stderr
    lines = ended.stderr.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("keepfact: expected ")
    return lines[0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rules", "FENCE.99"], "the id of a rule, like FENCE.2, but got 'FENCE.99'"),
        (["explore", "--scope", "galaxy"], "a scope, one of core, costs"),
        (["defects", "--system", "reference"], "--system model or postgres, whose defects are known, but got"),
        (["defects", "no_such"], "a defect of the model, as "),
        (["defects", "--system", "postgres", "no_such"], "there is none called 'no_such'"),
        (["explore", "--defect", "no_such"], "a defect of the model, as "),
        (["inject", "earthquake"], "an experiment, all, or regressions, but got 'earthquake'"),
        (["inject", "all", "earthquake"], "but got 'earthquake'"),
        (["field", "no_such"], "an engine, one of absurd, "),
        (["field", "naive", "--experiment", "earthquake"], "an experiment, one of killed_after_the_model_answered, "),
        (["report", "."], "an evidence directory with evidence.ndjson, but . has none"),
        (["report", "absent"], "an evidence directory with evidence.ndjson, but absent has none"),
        (["verify", "--system", "nope"], "--system to be reference, postgres, gateway, defective:NAME"),
        (["verify", "--system", "defective:nope"], "there is none called 'nope'"),
        (["verify", "--system", "no_such:Thing"], "to import no_such for --system no_such:Thing"),
        (["inject", "all", "--system", "nope"], "--system to be"),
        (["verify", "--system", "http://127.0.0.1:1"], "http://127.0.0.1:1 to answer GET /system and say what it is"),
        (["adapter", "--listen", "everywhere"], "to listen on host:port, as 127.0.0.1:0, but on 'everywhere'"),
    ],
    ids=in_words,
)
def test_what_is_not_there_is_told_with_what_is(arguments: Sequence[str], said: str, tmp_path: Path) -> None:
    assert said in told_in_one_line(keepfact(*arguments, cwd=tmp_path))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["verify", "--profile", "heroic"],
        ["verify", "--seed", "soon"],
        ["verify", "--no-such-option"],
        ["verify", "too", "many"],
        ["nonsense"],
        ["report"],
    ],
    ids=in_words,
)
def test_what_cannot_be_read_ends_with_two_and_a_usage(arguments: Sequence[str], tmp_path: Path) -> None:
    told = keepfact(*arguments, cwd=tmp_path)
    assert told.code == 2
    assert "Usage: keepfact" in told.warned
    assert "Traceback" not in told.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_format_is_told_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "evidence.ndjson").write_text("")
    assert "a header first" in told_in_one_line(keepfact("report", tmp_path, "--format", "pdf", cwd=tmp_path))


def test_evidence_that_was_changed_is_told(tmp_path: Path) -> None:
    (tmp_path / "evidence.ndjson").write_text("{}\n")
    assert "a record on line 1 of" in told_in_one_line(keepfact("report", tmp_path, cwd=tmp_path))


def test_a_directory_with_files_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    told = keepfact("verify", "--system", "reference", "--out", tmp_path, cwd=tmp_path)
    assert f"a new or empty directory for the evidence, but {tmp_path} has files in it" in told_in_one_line(told)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_file_in_the_way_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    told = keepfact("verify", "--system", "reference", "--out", tmp_path / "file" / "below", cwd=tmp_path)
    assert "to write evidence to" in told_in_one_line(told)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_place_that_may_not_be_written_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    told = keepfact("verify", "--system", "reference", cwd=tmp_path)
    assert "Permission denied" in told_in_one_line(told)


def test_a_server_that_does_not_answer_is_told_without_its_password(tmp_path: Path) -> None:
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))  # and nobody listens there
        dsn = f"postgresql://me:{PASSWORD}@127.0.0.1:{unheard.getsockname()[1]}/mine"
        told = keepfact("verify", cwd=tmp_path, KEEPFACT_DSN=dsn)
    assert "a PostgreSQL server at host=127.0.0.1" in told_in_one_line(told)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("dsn", [f"postgresql://me:{PASSWORD}@[", f"host=localhost password='{PASSWORD}"])
def test_a_server_that_cannot_be_read_is_told_without_its_password(dsn: str, tmp_path: Path) -> None:
    told = told_in_one_line(keepfact("verify", cwd=tmp_path, KEEPFACT_DSN=dsn))
    assert "a PostgreSQL connection string" in told


def test_an_unknown_kind_of_server_is_told(tmp_path: Path) -> None:
    told = told_in_one_line(keepfact("verify", cwd=tmp_path, KEEPFACT_SERVER="mainframe"))
    assert "'mainframe'" in told


ADAPTERS = Path(__file__).parents[1] / "conformance"


@pytest.mark.parametrize(
    ("adapter", "said"),
    [
        ("DoesNotStart", "the system broken:DoesNotStart to start, but ConnectionError: nobody listens on port 5432"),
        ("LacksParts", "broken:LacksParts to be a System, but it has no lease_seconds"),
        ("ExitsOnTheThird", "but it raised SystemExit: 1 (broken.py line"),
        ("EndsWellOnTheThird", "a verdict, but the process that was to reach it ended with 0 before: the adapter"),
        ("RaisesOnTheThird", "the adapter of raises on the third to perform Intend, the holder of fence 1 intends"),
    ],
)
def test_a_broken_adapter_is_told_with_its_name_and_the_command(adapter: str, said: str, tmp_path: Path) -> None:
    told = keepfact("verify", "--system", f"broken:{adapter}", "--out", tmp_path / "out", cwd=ADAPTERS)
    assert said in told_in_one_line(told)
    assert not (tmp_path / "out" / "report.html").exists()
