"""The story of the two funds, as its two commands tell it."""

import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from keepfact.impl.server import Server

EXAMPLES = Path(__file__).parents[2] / "examples"
HANG_SECONDS = 300
"""So that a hang fails a test and not a night; no test looks at how long anything took."""

WAYS: dict[str, list[str]] = {"at the store": [], "over HTTP": ["--http"]}


@pytest.fixture(scope="module")
def printed(server: Server) -> dict[str, str]:
    """All that each of the two commands printed, each on an installation of its own."""
    with ThreadPoolExecutor(2) as threads:
        return dict(zip(WAYS, threads.map(partial(_played, server.dsn), WAYS.values()), strict=True))


@pytest.fixture(params=["at the store", "over HTTP"])
def told(request: pytest.FixtureRequest, printed: dict[str, str]) -> str:
    """What one of them tells, white space as single blanks."""
    return " ".join(printed[request.param].split())


def test_the_first_run_ends_as_interrupted_and_hands_over_its_body_as_partial(told: str) -> None:
    assert "it is unknown, to end as interrupted once the last call is resolved" in told
    assert "Delivered, marked partial: First result, not yet in words. fund-a" in told
    assert "Now it has ended: interrupted, and cost 16 to 16 cents." in told


def test_its_cost_is_an_interval_before_the_bill(told: str) -> None:
    before, _, after = told.partition("The provider's bill says 12 cents.")
    assert "Its cost lies in 4 to 24 cents: 1 call is unresolved" in before
    assert "4 to 24" not in after


def test_what_is_fresh_is_reused_and_what_is_stale_is_read_again(told: str) -> None:
    assert "Handed over: holdings:fund-a, current Handed over: holdings:fund-b, stale" in told
    assert "holdings:fund-a of compare-1, read 1 time" in told
    assert "fund-a was read 1 time by both runs together" in told
    assert "fund-b was read 2 times: its figures had become stale" in told


def test_the_report_is_sent_once_and_only_as_it_was_shown(told: str) -> None:
    assert "is refused: shown_differs." in told
    assert "the report was sent 1 time" in told
    assert "the model was asked 2 times" in told


def test_the_second_run_is_followed_to_its_end(told: str) -> None:
    events = told.partition("Followed to its end, event by event: ")[2].partition(".")[0].split(", ")
    assert (events[0], events[-1]) == ("admitted", "ended")
    assert events.count("decided") == 1
    assert "Approved, sent, succeeded" in told


def test_each_request_over_http_can_be_pasted_and_names_nobodys_token(printed: dict[str, str]) -> None:
    lines = printed["over HTTP"].splitlines()
    tokens = [
        line.split()[0].partition("=")[2]
        for line in lines
        if line.startswith(("ANALYST=", "DESK=", "PROVIDER=", "KEEPER="))
    ]
    calls = [shlex.split(line) for line in lines if line.startswith("curl ")]
    bodies = [json.loads(call[call.index("-d") + 1]) for call in calls if "-d" in call]
    assert len(tokens) == 4
    assert [call[-1].rpartition("/")[2] for call in calls if "-d" in call] == [
        "grant", "grant", "runs", "reconcile", "continue", "decide", "decide",
    ]  # fmt: skip
    assert bodies[3] == {"call": "compare-1:attempt:1", "evidence": "confirmed", "cost_cents": 12}
    assert [call[-1].partition("/v1/")[2] for call in calls if "-N" in call] == ["runs/compare-2/stream"]
    assert not any(token in " ".join(call) for call in calls for token in tokens)


def _played(dsn: str, arguments: list[str]) -> str:
    """What the command prints when it ends well."""
    ended = subprocess.run(
        [sys.executable, "-m", "fund_overlap", *arguments],
        cwd=EXAMPLES,
        env={**os.environ, "KEEPFACT_DSN": dsn},
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout
