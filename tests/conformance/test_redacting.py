"""Secrets do not stand in evidence, and nothing else is missing from it."""

import json
from pathlib import Path

import pytest

from keepfact.conformance.evidence import EvidenceReader, EvidenceWriter, NotShownRecord
from keepfact.conformance.evidence.redacting import Redaction

GIVEN = {
    "MODEL_API_KEY": 'sk-12"34\n5678',
    "PGPASSWORD": "correct horse",
    "KEEPFACT_DSN": "host=db dbname=x",
    "CI_TOKEN": "short",
    "EDITOR": "vim-editor",
}


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("--system http://ann:s3cret@host:80/x", "--system http://ann:[redacted]@host:80/x"),
        ("postgresql://admin:p%40ss@db/postgres", "postgresql://admin:[redacted]@db/postgres"),
        ("http://:only-a-password@host", "http://:[redacted]@host"),
        ("host=db password=s3cret user=ann", "host=db password=[redacted] user=ann"),
        ("Password = s3cret", "Password = [redacted]"),
        ("a correct horse, twice: correct horse", "a [redacted], twice: [redacted]"),
        ("connected with host=db dbname=x", "connected with [redacted]"),
    ],
)
def test_what_is_a_secret_is_left_out(text: str, kept: str) -> None:
    assert Redaction(GIVEN).text(text) == kept


@pytest.mark.parametrize(
    "text",
    [
        "http://127.0.0.1:9000/path@2",
        "see http://example.com:80 and mail a@b.c",
        "vim-editor",
        "short",
        "the password is asked for",
        "run-1:attempt:1",
        "half a character \udce4",
    ],
)
def test_nothing_else_is(text: str) -> None:
    assert Redaction(GIVEN).text(text) == text


def test_a_secret_is_known_as_json_writes_it() -> None:
    line = json.dumps({"seen": f"it said {GIVEN['MODEL_API_KEY']}"}).encode()
    assert json.loads(Redaction(GIVEN).line(line)) == {"seen": "it said [redacted]"}


def test_evidence_is_written_without_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOL_SECRET", "open sesame")
    with EvidenceWriter(tmp_path) as writer:
        writer.write(NotShownRecord(text="open sesame, http://ann:s3cret@host"))
    assert list(EvidenceReader(tmp_path)) == [NotShownRecord(text="[redacted], http://ann:[redacted]@host")]
    assert b"sesame" not in (tmp_path / "evidence.ndjson").read_bytes()
