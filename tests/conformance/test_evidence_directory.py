"""The evidence directory: written as things happen, readable after a crash, and without a footer no verdict."""

import hashlib
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from keepfact.conformance.evidence import EvidenceError, EvidenceReader, EvidenceWriter, Footer, Header, NotShownRecord
from keepfact.conformance.verdicts import ExitCode, Level, Verdict
from keepfact.spec.vocabulary import Contract

HEADER = Header(
    kit_version="1",
    command="keepfact verify",
    profile="quick",
    seed=7,
    system="toy",
    contracts=(Contract.SETTLE,),
    capabilities=(),
    lease_seconds=30,
    versions={"toy": "1"},
    machine={"python": "3"},
    book_digest="0" * 64,
    started_at="2025-01-01T00:00:00+00:00",
)
NOTE = NotShownRecord(text="a power cut; “unlikely”, and\nin two lines")


def written(directory: Path) -> EvidenceWriter:
    writer = EvidenceWriter(directory)
    writer.write(HEADER)
    writer.write(NOTE)
    return writer


def test_what_was_written_is_read_again_before_anything_is_closed(tmp_path: Path) -> None:
    written(tmp_path / "new" / "folder")
    assert list(EvidenceReader(tmp_path / "new" / "folder")) == [HEADER, NOTE]


def test_a_directory_with_files_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(EvidenceError, match=r"expected a new or empty directory .* nothing there was touched"):
        EvidenceWriter(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_an_empty_directory_is_taken(tmp_path: Path) -> None:
    EvidenceWriter(tmp_path).close()
    assert list(EvidenceReader(tmp_path)) == []


def test_a_file_in_the_way_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(EvidenceError, match=r"expected to write evidence to .*, but: .*\. Give another --out\."):
            EvidenceWriter(place)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_that_may_not_be_written_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(EvidenceError, match="Permission denied"):
        EvidenceWriter(tmp_path)


def test_the_footer_counts_and_digests_all_that_stands_before_it(tmp_path: Path) -> None:
    writer = written(tmp_path)
    writer.write(NOTE)
    writer.finish(Verdict.VIOLATED, Level.NONE, ExitCode.VIOLATED)
    footer = list(EvidenceReader(tmp_path))[-1]
    assert isinstance(footer, Footer)
    assert footer.counts == {"header": 1, "not_shown": 2}
    assert (footer.verdict, footer.level, footer.exit_code) == (Verdict.VIOLATED, Level.NONE, 1)
    before = b"".join((tmp_path / "evidence.ndjson").read_bytes().splitlines(keepends=True)[:-1])
    assert footer.digest == hashlib.sha256(before).hexdigest()


def test_a_last_line_that_was_cut_is_left_out_wherever_the_cut_is(tmp_path: Path) -> None:
    written(tmp_path).close()
    path = tmp_path / "evidence.ndjson"
    whole = path.read_bytes()
    start = whole.index(b"\n") + 1
    for end in range(start, len(whole)):
        path.write_bytes(whole[:end])
        assert list(EvidenceReader(tmp_path)) == [HEADER]
    path.write_bytes(whole)
    assert list(EvidenceReader(tmp_path)) == [HEADER, NOTE]


@pytest.mark.parametrize(
    "line", [b"{}", b"not json", b'{"kind": "nonsense"}', b'{"kind": "not_shown"}', b"\xff\xfe", b""]
)
def test_a_line_that_is_no_record_is_told_with_its_number(tmp_path: Path, line: bytes) -> None:
    written(tmp_path).close()
    with (tmp_path / "evidence.ndjson").open("ab") as file:
        file.write(line + b"\n")
    with pytest.raises(EvidenceError, match=r"expected a record on line 3 of .* changed, or written by another"):
        list(EvidenceReader(tmp_path))


def test_a_record_with_a_field_too_much_is_not_read_as_if_it_were_ours(tmp_path: Path) -> None:
    written(tmp_path).close()
    with (tmp_path / "evidence.ndjson").open("ab") as file:
        file.write(b'{"kind": "not_shown", "text": "x", "verdict": "HOLDS"}\n')
    with pytest.raises(EvidenceError, match="line 3"):
        list(EvidenceReader(tmp_path))


def test_the_header_comes_first_or_there_is_none(tmp_path: Path) -> None:
    writer = EvidenceWriter(tmp_path)
    with pytest.raises(EvidenceError, match="expected a header first"):
        EvidenceReader(tmp_path).header()
    writer.write(NOTE)
    with pytest.raises(EvidenceError, match="expected a header first"):
        EvidenceReader(tmp_path).header()


def test_a_directory_without_evidence_is_told(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "absent"):
        with pytest.raises(EvidenceError, match=r"expected an evidence directory with evidence\.ndjson"):
            EvidenceReader(place)


def test_the_manifest_names_every_file_but_itself_with_its_digest(tmp_path: Path) -> None:
    writer = written(tmp_path)
    writer.finish(Verdict.HOLDS, Level.FULL, ExitCode.CONFORMANT)
    (tmp_path / "report.html").write_text("<p>")
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces" / "manifest.json").write_text("somebody else's")
    for _ in range(2):  # sealing again changes nothing
        writer.seal()
        manifest = json.loads((tmp_path / "manifest.json").read_text())["sha256"]
        files = [path for path in tmp_path.rglob("*") if path.is_file() and path != tmp_path / "manifest.json"]
        assert manifest == {
            path.relative_to(tmp_path).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files
        }
        assert set(manifest) == {"evidence.ndjson", "evidence.digests", "report.html", "traces/manifest.json"}


def test_a_full_disk_is_told_and_what_is_there_can_be_read(tmp_path: Path) -> None:
    """The limit on the size of a file stands in for the end of a disk: part of a line is written, then no more."""
    done = subprocess.run(
        [sys.executable, "-c", WRITE_UNTIL_FULL, str(tmp_path)], capture_output=True, text=True, preexec_fn=_small_files
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"expected to go on writing evidence to {tmp_path}, but: File too large.")
    assert "no footer and so no verdict" in done.stdout
    assert (tmp_path / "evidence.ndjson").stat().st_size == FILE_BYTES_MAX
    records = list(EvidenceReader(tmp_path))
    assert isinstance(records[0], Header)
    assert len(records) > 1
    assert not any(isinstance(record, Footer) for record in records)


FILE_BYTES_MAX = 4099
WRITE_UNTIL_FULL = f"""
import signal, sys
from pathlib import Path
from keepfact.conformance.evidence import EvidenceError, EvidenceWriter, Header, NotShownRecord
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
writer = EvidenceWriter(Path(sys.argv[1]))
writer.write(Header.model_validate_json({HEADER.model_dump_json()!r}))
try:
    while True:
        writer.write(NotShownRecord(text="more and more"))
except EvidenceError as error:
    print(error)
"""


def _small_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES_MAX, FILE_BYTES_MAX))
