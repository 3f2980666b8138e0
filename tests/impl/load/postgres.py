"""A PostgreSQL whose processes can all be killed, and which starts again on the data that they left."""

import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from psycopg import conninfo

from keepfact.impl import server_keeper
from keepfact.impl.server import _postgres_files

from ..warden import Warden, children_of, running, warden

STARTING_SECONDS_MAX = 60


@dataclass
class Postgres:
    """One server in `directory`. What it commits is flushed, so that a kill may lose nothing that was committed."""

    directory: Path
    files: Path
    dsn: str = field(repr=False)
    guard: Warden
    kills: int = 0
    _server: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        """Start it, and wait until it answers; after a kill that is when it has recovered."""
        options = {"listen_addresses": "", "unix_socket_directories": str(self.directory), "fsync": "on"}
        with (self.directory / "log").open("ab") as log:
            self._server = subprocess.Popen(
                [
                    self.files / "bin" / "postgres", "-D", self.directory / "data",
                    *(part for name, value in {**server_keeper.SERVER_SETTINGS, **options}.items()
                      for part in ("-c", f"{name}={value}")),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.directory,
                start_new_session=True,
                **server_keeper._as_user(server_keeper._server_user()),
            )  # fmt: skip
        self.guard.watch(self._server.pid)
        self._wait_until_it_answers()

    def kill(self) -> None:
        """SIGKILL to the postmaster and to every process of it, none of which gets to say a word."""
        assert self._server is not None
        self._server.send_signal(signal.SIGSTOP)  # so that it starts no further one meanwhile
        children = children_of(self._server.pid)
        for pid in (self._server.pid, *children):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._server.wait()
        while running().keys() & set(children):
            time.sleep(0.005)
        self.kills += 1

    def stop(self) -> None:
        """Stop it, if it runs."""
        if self._server is not None and self._server.poll() is None:
            server_keeper._stop(self._server)

    def _wait_until_it_answers(self) -> None:
        assert self._server is not None
        deadline = time.monotonic() + STARTING_SECONDS_MAX
        while True:
            try:
                psycopg.connect(self.dsn, connect_timeout=5).close()
                return
            except psycopg.OperationalError as error:
                said = (self.directory / "log").read_text(errors="replace")[-2000:]
                if self._server.poll() is not None or time.monotonic() > deadline:
                    raise AssertionError(f"the server does not come up; its log says: {said}") from error
                time.sleep(0.02)


@contextmanager
def restartable_postgres() -> Iterator[Postgres]:
    """A server that was started, in a directory of its own, for as long as the context lasts."""
    user = server_keeper._server_user()
    directory = Path(tempfile.mkdtemp(prefix="keepfact-load-", dir=server_keeper._base_directory()))
    with ExitStack() as stack:
        guard = stack.enter_context(warden())
        guard.remove(directory)
        stack.callback(shutil.rmtree, directory, ignore_errors=True)
        files, password = _postgres_files(), secrets.token_hex(16)
        if user is not None:
            shutil.chown(directory, user.pw_uid, user.pw_gid)
            files = server_keeper._reachable(files, directory, user)
        server_keeper._initialize(files, directory, user, password)
        dsn = conninfo.make_conninfo("", host=str(directory), user="postgres", password=password, dbname="postgres")
        server = Postgres(directory, files, dsn, guard)
        stack.callback(server.stop)
        server.start()
        yield server
