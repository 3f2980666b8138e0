"""A gateway as a process of its own: set up by its environment, stopped by a signal."""

import json
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from keepfact.impl.errors import BadSettingsError
from keepfact.impl.gateway.settings import GatewaySettings, Limits
from keepfact.impl.installation import Installation

from ..driving import PATIENCE_SECONDS, fresh, wait_until
from .processes import GatewayProcess, ended, started
from .served import TOKEN, client_of, problem


@pytest.fixture
def process(installation: Installation, admin: object, tmp_path: Path) -> Iterator[GatewayProcess]:
    with started(installation, tmp_path) as opened:
        yield opened


def test_it_serves_until_it_is_asked_to_stop_and_lets_its_streams_go(process: GatewayProcess) -> None:
    with client_of(process.url) as client:
        run = client.claimed()
        with client.stream("GET", f"/v1/runs/{run}/stream") as answered:
            lines = answered.iter_lines()
            assert next(line for line in lines if line.startswith("id")) == "id: 1"
            process.popen.send_signal(signal.SIGTERM)
            assert "event: end" not in list(lines)
    assert process.popen.wait(PATIENCE_SECONDS) == 0
    told = process.told()
    (streamed,) = [line for line in told if line.get("route") == "/v1/runs/{run}/stream"]
    assert (streamed["status"], streamed["principal"]) == (200, "ann")
    assert TOKEN not in json.dumps(told)


def test_a_command_that_hangs_does_not_keep_it_from_stopping(
    installation: Installation, admin: psycopg.Connection, tmp_path: Path
) -> None:
    """Whoever asked hears that it is lost; under the same key the next gateway tells."""
    with started(installation, tmp_path, KEEPFACT_STOP_SECONDS="1") as process, client_of(process.url) as client:
        run, key = client.admitted(), fresh("key")
        with ThreadPoolExecutor(1) as threads, installation.admin_connection() as other, other.transaction():
            other.execute("select from keepfact.runs where run = %s for update", [run])
            asked = threads.submit(client.do, f"/v1/runs/{run}/claim", worker="w", key=key)
            wait_until(lambda: _is_locked_out(admin))
            process.popen.send_signal(signal.SIGTERM)
            assert process.popen.wait(PATIENCE_SECONDS) == 0
            assert problem(asked.result()) == (503, "lost")
    with started(installation, tmp_path) as process, client_of(process.url) as client:
        assert client.do(f"/v1/runs/{run}/claim", worker="w", key=key).json()["grant"]["fence"] == 1


def test_without_a_database_it_is_there_and_not_ready(installation: Installation, tmp_path: Path) -> None:
    away = {"KEEPFACT_OBSERVE_DSN": "postgresql://nobody:secret@127.0.0.1:1/none"}
    with started(installation, tmp_path, **away) as process, client_of(process.url) as client:
        assert client.get("/healthz").status_code == 200
        assert client.get("/readyz").status_code == 503
        assert "secret" not in process.log.read_text()


@pytest.mark.parametrize(("wrong", "told"), [
    ({"KEEPFACT_TOKENS_FILE": ""}, "expected KEEPFACT_TOKENS_FILE in the environment of a gateway"),
    ({"KEEPFACT_TOKENS_FILE": "/none"}, "expected KEEPFACT_TOKENS_FILE to name a list"),
    ({"KEEPFACT_OBSERVE_DSN": "secret@:/"}, "expected a PostgreSQL connection string"),
    ({"KEEPFACT_HOST": "203.0.113.1"}, "expected to listen on 203.0.113.1"),
])  # fmt: skip
def test_set_up_wrongly_it_says_how_and_exits_2(
    installation: Installation, tmp_path: Path, wrong: dict[str, str], told: str
) -> None:
    status, said = ended(installation, tmp_path, **wrong)
    assert status == 2
    assert told in said["message"]
    assert "secret" not in json.dumps(said)


def _is_locked_out(admin: psycopg.Connection) -> bool:
    waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    return admin.execute(waiting).rowcount == 1


NEEDED = {"KEEPFACT_OBSERVE_DSN": "dbname=a", "KEEPFACT_TOKENS_FILE": "tokens.json"}


def test_settings_have_sane_defaults() -> None:
    settings = GatewaySettings.read(NEEDED)
    assert (settings.host, settings.port, settings.limits) == ("127.0.0.1", 8080, Limits())
    assert settings.dsns == {"observe": "dbname=a"}
    assert "dbname" not in repr(settings)


def test_every_setting_can_be_set() -> None:
    more = {
        "KEEPFACT_SUBMIT_DSN": "dbname=b",
        "KEEPFACT_PORT": "0",
        "KEEPFACT_BODY_BYTES_MAX": "5",
        "KEEPFACT_POLL_SECONDS": ".5",
    }
    settings = GatewaySettings.read({**NEEDED, **more})
    assert (settings.port, settings.limits) == (0, Limits(body_bytes_max=5, poll_seconds=0.5))
    assert settings.dsns == {"observe": "dbname=a", "submit": "dbname=b"}


@pytest.mark.parametrize(("name", "value"), [
    ("KEEPFACT_PORT", "http"), ("KEEPFACT_PORT", "-1"), ("KEEPFACT_BODY_BYTES_MAX", "1.5"), ("KEEPFACT_DEPTH_MAX", "0"),
    ("KEEPFACT_POLL_SECONDS", "nan"), ("KEEPFACT_POLL_SECONDS", "inf"), ("KEEPFACT_OBSERVE_DSN", ""),
])  # fmt: skip
def test_a_setting_that_cannot_be_read_is_named(name: str, value: str) -> None:
    with pytest.raises(BadSettingsError, match=name):
        GatewaySettings.read({**NEEDED, name: value})
