"""The ledger of truth can be read while it grows, and says what happened to each call."""

import resource
from pathlib import Path

import pytest

from keepfact.fault_injection.world.ledger import (
    Endpoint,
    Entry,
    Happened,
    Ledger,
    LedgerReader,
    digest_of,
    now,
    truth_of,
)
from keepfact.spec.vocabulary import CallId, CallKind, CallTruth, RunId, Truth


def _entry(happened: Happened, key: str | None, *, endpoint: Endpoint = Endpoint.TOOL, cost_cents: int = 0) -> Entry:
    return Entry(now(), 1, endpoint, happened, "r", key, "1", digest_of({}), cost_cents)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    written = (_entry(Happened.ARRIVED, "r:a"), _entry(Happened.ACTED, "r:a", cost_cents=11))
    ledger = Ledger(tmp_path / "ledger")
    reader = LedgerReader(tmp_path / "ledger")
    assert reader.entries() == ()
    for number, entry in enumerate(written, 1):
        ledger.write(entry)
        assert reader.entries() == written[:number]


def test_a_line_that_does_not_fit_is_told_and_leaves_nothing_of_itself(tmp_path: Path) -> None:
    path, entry = tmp_path / "ledger", _entry(Happened.ARRIVED, "r:a")
    ledger = Ledger(path)
    ledger.write(entry)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 20, limits[1]))
    try:
        with pytest.raises(OSError, match="expected room"):
            ledger.write(entry)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    ledger.write(entry)
    assert LedgerReader(path).entries() == (entry, entry)


def test_a_line_that_is_not_complete_is_left_for_later(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    Ledger(path).write(_entry(Happened.ARRIVED, "r:a"))
    whole = path.read_bytes()
    reader = LedgerReader(path)
    path.write_bytes(whole + whole[:20])
    assert len(reader.entries()) == 1
    path.write_bytes(whole + whole)
    assert len(reader.entries()) == 2


def test_a_ledger_is_never_written_over(tmp_path: Path) -> None:
    Ledger(tmp_path / "ledger")
    with pytest.raises(FileExistsError):
        Ledger(tmp_path / "ledger")


def test_truth_counts_requests_acts_and_cost() -> None:
    entries = [
        _entry(Happened.ARRIVED, "r:b"),
        _entry(Happened.ARRIVED, "r:a"),
        _entry(Happened.ACTED, "r:a", cost_cents=11),
        _entry(Happened.ANSWERED, "r:a"),
        _entry(Happened.ARRIVED, "r:a"),
        _entry(Happened.ARRIVED, "r:a", endpoint=Endpoint.LOOKUP),
    ]
    assert truth_of(entries, RunId("r")) == Truth(
        (
            CallTruth(CallId("r:b"), CallKind.OPERATION, requests=1, acts=0, cost_cents=0),
            CallTruth(CallId("r:a"), CallKind.OPERATION, requests=2, acts=1, cost_cents=11),
        )
    )
    assert truth_of(entries, RunId("s")) == Truth()


def test_a_digest_does_not_depend_on_how_the_body_was_written() -> None:
    assert digest_of({"a": 1, "b": "é"}) == digest_of({"b": "é", "a": 1})
    assert digest_of({"a": 1}) != digest_of({"a": "1"})
    assert digest_of("\ud800") != digest_of("")
