"""Whatever is done to evidence afterwards is found and named, and there is no verdict then."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keepfact.conformance.audit import audit
from keepfact.conformance.audit.signing import seal_and_sign
from keepfact.conformance.concluding import Conclusion
from keepfact.conformance.evidence.manifest import LEFT_BY_TOOLS, MANIFEST, manifest_of
from keepfact.conformance.verdicts import ExitCode

from ..toys import SpineOnly
from .keys import PUBLIC_KEY, private
from .left import left

Spoil = Callable[[str, Callable[[list[bytes]], list[bytes]]], Path]
EVIDENCE = "evidence.ndjson"


@pytest.fixture(scope="session")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Evidence that somebody vouches for; the key lies beside it."""
    directory = tmp_path_factory.mktemp("signed") / "evidence"
    left(directory, SpineOnly(), traces=1, formats=())
    (directory.parent / "key.pub").write_bytes(PUBLIC_KEY)
    seal_and_sign(directory, private())
    return directory


def test_the_evidence_that_is_spoiled_below_was_right(signed: Path) -> None:
    for key in (None, signed.parent / "key.pub"):
        assert (audit(signed, key).findings, audit(signed, key).exit_code) == ((), ExitCode.CONFORMANT)


NAMES = ("evidence.ndjson", "evidence.digests", "manifest.json", "manifest.sig", "signer.pub")


@settings(max_examples=100, deadline=None, database=None, print_blob=True)
@given(data=st.data())
def test_any_byte_of_any_file(signed: Path, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(NAMES))
    with copy_of(signed) as directory:
        content = bytearray((directory / name).read_bytes())
        content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
        (directory / name).write_bytes(content)
        found = audit(directory)
        assert found.exit_code is ExitCode.BROKEN
        blamed = {finding.file for finding in found.findings}
        assert name in blamed or name == "manifest.json" or {name, "manifest.sig"} & blamed


@settings(max_examples=100, deadline=None, database=None, print_blob=True)
@given(data=st.data())
def test_any_lines_removed_repeated_moved_or_put_in(signed: Path, data: st.DataObject) -> None:
    with copy_of(signed) as directory:
        path = directory / EVIDENCE
        written = path.read_bytes().splitlines(keepends=True)
        lines = list(written)
        line = st.integers(0, len(written) - 1)
        for _ in range(data.draw(st.integers(1, 4))):
            at, to = min(data.draw(line), len(lines) - 1), data.draw(line)
            match data.draw(st.sampled_from(["remove", "repeat", "move", "swap", "put in"])):
                case "remove":
                    del lines[at]
                case "repeat":
                    lines.insert(to, lines[at])
                case "move":
                    lines.insert(to, lines.pop(at))
                case "swap":
                    to = min(to, len(lines) - 1)
                    lines[at], lines[to] = lines[to], lines[at]
                case "put in":
                    lines.insert(to, b'{"kind":"not_shown","text":"that it rained","not_applicable":false}\n')
        if lines == written:
            return
        path.write_bytes(b"".join(lines))
        found = audit(directory)
        assert found.exit_code is ExitCode.BROKEN
        first = next(
            (place for place, pair in enumerate(zip(lines, written, strict=False), 1) if pair[0] != pair[1]), 0
        )
        named = [finding.line for finding in found.findings if finding.file == EVIDENCE and finding.line]
        assert named[0] == (first or min(len(lines), len(written)) + 1)


def test_a_dropped_footer(spoiled: Spoil) -> None:
    told = told_of(spoiled(EVIDENCE, lambda lines: lines[:-1]))
    assert "there is no footer: the run was cut off, or its end was taken away" in told
    assert "1 lines that were written are missing here" in told


def test_a_removed_line(spoiled: Spoil) -> None:
    assert f"{EVIDENCE}:7: it was line 8 when it was written: line 7 is not before it any more" in told_of(
        spoiled(EVIDENCE, lambda lines: lines[:6] + lines[7:])
    )


def test_two_swapped_lines(spoiled: Spoil) -> None:
    told = told_of(spoiled(EVIDENCE, lambda lines: [*lines[:4], lines[5], lines[4], *lines[6:]]))
    assert f"{EVIDENCE}:5: it was line 6 when it was written" in told
    assert f"{EVIDENCE}:6: it was line 5 when it was written" in told
    assert f"{EVIDENCE}:7: it was" not in told


def test_a_changed_line(spoiled: Spoil) -> None:
    told = told_of(spoiled(EVIDENCE, lambda lines: [*lines[:9], lines[9].replace(b"run", b"ruin", 1), *lines[10:]]))
    assert f"{EVIDENCE}:10: it is not the line that was written: it was changed, or put in" in told
    assert f"{EVIDENCE}:11: it is not the line" not in told


def test_an_edited_verdict(spoiled: Spoil) -> None:
    """Named on its line, and contradicted besides."""
    directory = spoiled(
        EVIDENCE, lambda lines: [line.replace(b'"verdict":"HOLDS"', b'"verdict":"VIOLATED"', 1) for line in lines]
    )
    assert f"{EVIDENCE}:" in told_of(directory)
    assert any(str(one).startswith("FENCE.2: the run said VIOLATED") for one in audit(directory).differences)


def test_lines_after_the_footer(spoiled: Spoil) -> None:
    assert "it stands after the footer" in told_of(spoiled(EVIDENCE, lambda lines: [*lines, lines[1]]))


def test_a_file_that_was_added_and_one_that_is_missing(copied: Path) -> None:
    (copied / "more").mkdir()
    (copied / "more" / "report.html").write_text("All is well.")
    (copied / "report.json").unlink()
    told = told_of(copied)
    assert "more/report.html: the manifest does not name it: it was added later" in told
    assert "report.json: the manifest names it, and it is missing" in told


def test_a_replay_run_as_the_report_says_does_no_harm(copied: Path) -> None:
    (copied / "replay_x.py").write_text("def test_x_holds() -> None:\n    pass\n")
    (copied / MANIFEST).write_bytes(manifest_of(copied).text())
    environment = {name: said for name, said in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))}
    command = [sys.executable, "-m", "pytest", "--rootdir", ".", "replay_x.py"]
    subprocess.run(command, cwd=copied, env=environment, check=True, capture_output=True)
    assert {path.name for path in copied.iterdir()} >= LEFT_BY_TOOLS
    assert not audit(copied).findings


@pytest.mark.parametrize("name", sorted(LEFT_BY_TOOLS))
def test_what_has_the_name_of_a_tools_folder_and_is_none_or_is_deeper_is_found(copied: Path, name: str) -> None:
    (copied / "more" / name).mkdir(parents=True)
    (copied / "more" / name / "report.html").write_text("All is well.")
    (copied / name).symlink_to(copied / "more")
    told = told_of(copied)
    assert f"more/{name}/report.html: the manifest does not name it: it was added later" in told
    assert f"{name}: it is a link" in told


def test_a_link_in_place_of_a_file(copied: Path, tmp_path: Path) -> None:
    shutil.move(copied / "report.json", tmp_path / "report.json")
    (copied / "report.json").symlink_to(tmp_path / "report.json")
    assert "report.json: it is a link" in told_of(copied)


@pytest.mark.parametrize(
    ("rewrite", "reason"),
    [
        (lambda text: text.replace("\n", "\n ", 1), "in another form than keepfact writes it"),
        (lambda text: text.replace('"schema"', '"schema": 1, "schema"', 1), "in another form than keepfact writes it"),
        (lambda text: "[" * 100_000, "it is no JSON"),
        (lambda text: "[]", "it is no JSON object"),
        (lambda text: "", "it is no JSON"),
        (lambda text: text.replace("manifest/1", "manifest/2"), "Input should be 'keepfact.manifest/1'"),
        (lambda text: json.dumps({**json.loads(text), "note": ""}, indent=2) + "\n", "Extra inputs"),
    ],
)
def test_a_manifest_that_is_none(rewrite: Callable[[str], str], reason: str, copied: Path) -> None:
    path = copied / "manifest.json"
    path.write_text(rewrite(path.read_text()))
    assert reason in told_of(copied)


def test_no_manifest(copied: Path) -> None:
    (copied / "manifest.json").unlink()
    assert "manifest.json: it cannot be read: No such file or directory, so nothing vouches for the files" in told_of(
        copied
    )


def test_a_manifest_replaced_without_the_key(signed: Path) -> None:
    """Everything fits again but the signature."""
    with copy_of(signed) as directory:
        (directory / "report.html").write_text("All is well.")
        (directory / "manifest.json").write_bytes(manifest_of(directory).text())
        found = audit(directory, signed.parent / "key.pub")
        assert [str(finding) for finding in found.findings] == [
            "manifest.sig: it is not the signature of the key that was given on this manifest"
        ]
        assert found.exit_code is ExitCode.BROKEN


def test_evidence_that_somebody_else_signed(signed: Path) -> None:
    with copy_of(signed) as directory:
        seal_and_sign(directory, private(b"another" * 5))
        assert audit(directory).exit_code is ExitCode.CONFORMANT
        assert "the key that was given" in str(audit(directory, signed.parent / "key.pub").findings[0])


def test_a_signature_that_was_taken_away(signed: Path) -> None:
    with copy_of(signed) as directory:
        (directory / "manifest.sig").unlink()
        for key in (None, signed.parent / "key.pub"):
            assert audit(directory, key).exit_code is ExitCode.BROKEN


def test_without_a_key_it_is_said_that_nobody_vouches_for_the_manifest(
    made: tuple[Path, Conclusion], signed: Path
) -> None:
    assert audit(made[0]).signature.told.startswith("The manifest is not signed: nothing but itself vouches for it.")
    assert "which anybody may have made" in audit(signed).signature.told
    assert "signed by the key that was given" in audit(signed, signed.parent / "key.pub").signature.told


def told_of(directory: Path) -> str:
    found = audit(directory)
    assert found.exit_code is ExitCode.BROKEN
    return "\n".join(map(str, found.findings))


@contextmanager
def copy_of(directory: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(shutil.copytree(directory, Path(folder) / "evidence"))
