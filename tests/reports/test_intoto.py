"""The statement: as in-toto reads it, with words for what others would call passed or failed."""

import base64
import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from google.protobuf.json_format import Parse
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement
from jsonschema import Draft202012Validator

from keepfact.reports import sign_statement, write
from keepfact.reports.intoto import json_schema

from . import sample
from .kinds import EVERY_KIND


def statement_of(directory: Path) -> dict[str, Any]:
    (path,) = write(directory, ["intoto"])
    statement: dict[str, Any] = json.loads(path.read_bytes())
    return statement


@EVERY_KIND
def test_in_toto_takes_it(make: Callable[[Path], Path], tmp_path: Path) -> None:
    (path,) = write(make(tmp_path / "evidence"), ["intoto"])
    Statement.copy_from_pb(Parse(path.read_bytes(), statement_pb2.Statement())).validate()


@EVERY_KIND
def test_it_is_as_its_own_schema_says(make: Callable[[Path], Path], tmp_path: Path) -> None:
    validator = Draft202012Validator(json_schema())
    statement = statement_of(make(tmp_path / "evidence"))
    validator.validate(statement)
    assert list(validator.iter_errors({**statement, "predicate": {}}))


def test_it_speaks_of_the_evidence_by_its_digest(green: Path) -> None:
    digest = sha256((green / "evidence.ndjson").read_bytes()).hexdigest()
    assert statement_of(green)["subject"] == [{"name": "evidence.ndjson", "digest": {"sha256": digest}}]


def test_there_is_a_word_for_each_verdict(violated: Path) -> None:
    predicate = statement_of(violated)["predicate"]
    results = {rule["id"]: rule["result"] for rule in predicate["rules"]}
    assert predicate["result"] == "violated"
    assert results["FENCE.1"] == "holds"
    assert results["FENCE.2"] == "violated"
    assert results["HISTORY.3"] == "skipped"
    assert results["COST.7"] == "notExercised"
    assert results["ENTRY.6"] == "unknown"
    assert [rule["id"] for rule in predicate["rules"] if not rule["couldFail"]] == ["EFFECT.4"]
    assert predicate["parts"]["experiment tool_submitted_then_cut"] == "unknown"
    assert [record.text for record in sample.not_shown()] == predicate["notShown"][:2]


def test_signed_it_travels_in_an_envelope(green: Path) -> None:
    (statement,) = write(green, ["intoto"])
    key = Ed25519PrivateKey.generate()
    path = sign_statement(green, key.sign, "a key")
    assert path is not None
    envelope = json.loads(path.read_bytes())
    payload = base64.b64decode(envelope["payload"])
    (signature,) = envelope["signatures"]
    assert payload == statement.read_bytes()
    assert (envelope["payloadType"], signature["keyid"]) == ("application/vnd.in-toto+json", "a key")
    kind = envelope["payloadType"].encode()
    signed = b" ".join([b"DSSEv1", str(len(kind)).encode(), kind, str(len(payload)).encode(), payload])
    key.public_key().verify(base64.b64decode(signature["sig"]), signed)
    with pytest.raises(InvalidSignature):
        key.public_key().verify(base64.b64decode(signature["sig"]), payload)


def test_without_a_statement_there_is_nothing_to_sign(green: Path) -> None:
    assert sign_statement(green, lambda signed: b"", "a key") is None
