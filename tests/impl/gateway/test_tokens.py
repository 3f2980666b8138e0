"""Who a token speaks for, and what it opens."""

import hashlib
import json
import logging
from pathlib import Path
from typing import Any

import pytest
from starlette.datastructures import Headers

from keepfact.impl.errors import BadSettingsError
from keepfact.impl.gateway.problems import Problem
from keepfact.impl.gateway.tokens import Tokens
from keepfact.impl.store import Identity

from ..driving import wait_until
from .served import READER, TOKEN, Client, client_of, problem

LINE = {
    "token_sha256": hashlib.sha256(b"secret").hexdigest(), "tenant": "acme", "principal": "ann", "scopes": ["observe"],
}  # fmt: skip


@pytest.mark.parametrize("authorization", [
    None, "", "Bearer", "Bearer wrong", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN} more",
    f"Bearer {hashlib.sha256(TOKEN.encode()).hexdigest()}", "Bearer \u00fc".encode("latin-1"),
])  # fmt: skip
def test_without_a_known_token_nothing_is_answered(client: Client, authorization: Any) -> None:
    run = client.admitted()
    with client_of(str(client.base_url)) as stranger:
        del stranger.headers["authorization"]
        headers = {} if authorization is None else {"authorization": authorization}
        for path in (f"/v1/runs/{run}", f"/v1/runs/{run}/events", f"/v1/runs/{run}/stream"):
            refused = stranger.get(path, headers=headers)
            assert problem(refused) == (401, "unauthenticated")
            assert refused.headers["www-authenticate"].startswith("Bearer")


def test_two_tokens_are_none(client: Client) -> None:
    headers = [("Authorization", f"Bearer {TOKEN}"), ("Authorization", f"Bearer {READER}")]
    with client_of(str(client.base_url)) as doubtful:
        del doubtful.headers["authorization"]
        assert problem(doubtful.get("/v1/runs/r", headers=headers)) == (401, "unauthenticated")


def test_a_token_opens_only_its_scopes(client: Client) -> None:
    run = client.admitted()
    with client_of(str(client.base_url), READER) as reader:
        assert reader.get(f"/v1/runs/{run}").status_code == 200
        for path in ("/v1/runs", f"/v1/runs/{run}/claim", f"/v1/runs/{run}/recover", f"/v1/runs/{run}/reconcile"):
            refused = reader.do(path)
            assert problem(refused) == (403, "not_allowed")
            assert 'error="insufficient_scope"' in refused.headers["www-authenticate"]


def test_no_token_is_needed_to_see_how_the_process_is(client: Client) -> None:
    with client_of(str(client.base_url)) as stranger:
        del stranger.headers["authorization"]
        for path in ("/healthz", "/readyz", "/metrics", "/openapi.json"):
            assert stranger.get(path).status_code == 200


def test_the_file_says_digests_and_whom_they_speak_for(tmp_path: Path) -> None:
    tokens = Tokens.read(_written(tmp_path, [LINE]))
    found = tokens.authenticate(Headers({"authorization": "bearer  secret"}))
    assert (found.identity, found.scopes) == (Identity("acme", "ann"), {"observe"})
    with pytest.raises(Problem, match="it is not known"):
        tokens.authenticate(Headers({"authorization": f"Bearer {LINE['token_sha256']}"}))


@pytest.mark.parametrize(("content", "seen"), [
    ([{**LINE, "scopes": ["everything"]}], "0.scopes.0"),
    ([{**LINE, "token": "secret"}], "0.token"),
    ([{**LINE, "token_sha256": "secret"}], "0.token_sha256"),
    ([{**LINE, "principal": ""}], "0.principal"),
    ([{name: LINE[name] for name in ("token_sha256", "principal", "scopes")}], "0.tenant"),
    ({}, "it: Input should be a valid list"),
    ("[", "it cannot be read: JSONDecodeError"),
])  # fmt: skip
def test_a_wrong_file_is_said_to_be_without_its_secrets(tmp_path: Path, content: Any, seen: str) -> None:
    with pytest.raises(BadSettingsError, match="KEEPFACT_TOKENS_FILE") as told:
        Tokens.read(_written(tmp_path, content))
    assert seen in str(told.value)
    assert "secret" not in str(told.value)


def test_a_file_that_is_not_there_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(BadSettingsError, match="FileNotFoundError"):
        Tokens.read(str(tmp_path / "none"))


def test_tokens_come_and_go_with_their_file_while_it_is_served(tmp_path: Path) -> None:
    tokens = Tokens.read(_written(tmp_path, []))
    bearer = Headers({"authorization": "Bearer secret"})
    with pytest.raises(Problem, match="it is not known"):
        tokens.authenticate(bearer)
    _written(tmp_path, [LINE])
    assert tokens.authenticate(bearer).identity == Identity("acme", "ann")
    _written(tmp_path, [])
    with pytest.raises(Problem, match="it is not known"):
        tokens.authenticate(bearer)


def test_a_file_that_becomes_wrong_changes_nothing_and_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tokens = Tokens.read(_written(tmp_path, [LINE]))
    bearer = Headers({"authorization": "Bearer secret"})
    for spoil in (lambda: _written(tmp_path, "["), (tmp_path / "tokens.json").unlink):
        spoil()
        caplog.clear()
        assert tokens.authenticate(bearer).identity == Identity("acme", "ann")
        assert tokens.authenticate(bearer).identity == Identity("acme", "ann")
        (line,) = caplog.messages
        assert line.startswith("the tokens stay as they were: expected KEEPFACT_TOKENS_FILE")
    _written(tmp_path, [])
    with pytest.raises(Problem, match="it is not known"):
        tokens.authenticate(bearer)


def test_a_line_of_the_log_says_who_asked_what_and_nothing_that_is_secret(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "keepfact.gateway"):
        client.do("/v1/runs/nowhere/claim?secret=query", worker="in the\nbody")
        wait_until(lambda: len(_requests(caplog)) == 1)  # it is told after it was answered
    (line,) = _requests(caplog)
    assert line.pop("duration_ms") >= 0
    assert line == {
        "method": "POST", "route": "/v1/runs/{run}/claim", "status": 422, "tenant": "acme", "principal": "ann",
        "outcome": "refused", "reason": "malformed",
    }  # fmt: skip


def _requests(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    return [vars(record)["fields"] for record in caplog.records if record.getMessage() == "request"]


def _written(folder: Path, content: Any) -> str:
    path = folder / "tokens.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(path)
