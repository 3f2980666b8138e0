"""A process that keeps a private PostgreSQL server alive for exactly as long as the process that asked for it lives.

It starts the server as its child, writes one line (`ready` with the socket's directory, or `failed` with the reason),
and does what its standard input says: `kill` ends every process of the server by SIGKILL, `start` starts it again on
what it left; each is answered by a line. The end of the input comes also when the other process is killed; then the
server is stopped and its directory removed, so that nothing is ever left behind.
"""

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

SERVER_SETTINGS = {
    "max_connections": "300",  # workers keep one open at each door that they may knock at
    "listen_addresses": "",  # only the socket in a private directory
    "wal_level": "logical",  # so that the write-ahead log can be read as a witness
    "timezone": "UTC",
    "scram_iterations": "1",  # passwords here are long and by chance: to hash them often would only take time
}
STARTING_SECONDS_MAX = 120
STOPPING_SECONDS_MAX = 30
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
SOCKET_PATH_MAX = 100


class StartFailedError(Exception):
    """The server did not come up; the message is what it said itself."""


def main() -> None:
    """Keep a server until standard input ends. The argument is the directory with PostgreSQL's bin, lib and share."""
    for number in SIGNALS:
        signal.signal(number, lambda *_: sys.exit(1))
    password = sys.stdin.readline().strip()
    try:
        with _running_server(Path(sys.argv[1]), password) as server:
            print(f"ready {server.directory}", flush=True)
            _obey(server)
    except (StartFailedError, OSError) as error:
        print("failed " + " ".join(str(error).split()), flush=True)
        sys.exit(1)


def _obey(server: "_Running") -> None:
    """Kill it and start it as often as asked; return at anything else, and at the end of the input."""
    while True:
        match sys.stdin.readline().strip():
            case "kill":
                print(f"killed {server.kill()}", flush=True)
            case "start":
                server.start()
                print("started", flush=True)
            case _:
                return


@contextmanager
def _running_server(files: Path, password: str) -> Iterator["_Running"]:
    user = _server_user()
    directory = Path(tempfile.mkdtemp(prefix="keepfact-", dir=_base_directory()))
    try:
        if user is not None:
            os.chown(directory, user.pw_uid, user.pw_gid)
            files = _reachable(files, directory, user)
        _initialize(files, directory, user, password)
        with _server_process(files, directory, user) as server:
            yield server
    finally:
        _ignore_signals()
        shutil.rmtree(directory, ignore_errors=True)


def _server_user() -> pwd.struct_passwd | None:
    """PostgreSQL refuses to run as root; root lends it to the first of two users that every system has."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    for name in ("postgres", "nobody"):
        if name in known:
            return known[name]
    raise StartFailedError("running as root, and there is no user postgres or nobody to run the server as")


def _base_directory() -> str:
    """A place that every user can get to, with a path short enough for a socket."""
    for candidate in (tempfile.gettempdir(), "/tmp", "/var/tmp"):
        if len(candidate) < SOCKET_PATH_MAX - 40 and _is_open_to_all(Path(candidate)):
            return candidate
    raise StartFailedError("found no temporary directory that the server's user can reach; set TMPDIR to one")


def _is_open_to_all(path: Path) -> bool:
    return all(place.stat().st_mode & 0o001 for place in (path.resolve(), *path.resolve().parents))


def _reachable(files: Path, directory: Path, user: pwd.struct_passwd) -> Path:
    """PostgreSQL's files themselves, or a copy of them when they are in a place that the server's user cannot reach."""
    if _is_open_to_all(files / "bin" / "postgres"):
        return files
    # The programs find their libraries beside the package, by a path relative to themselves.
    package, libraries = files.parent, files.parent.with_name(files.parent.name + ".libs")
    copy = directory / "programs"
    shutil.copytree(files, copy / package.name / files.name, symlinks=True)
    if libraries.is_dir():
        shutil.copytree(libraries, copy / libraries.name)
    for path in (copy, *copy.rglob("*")):
        os.chown(path, user.pw_uid, user.pw_gid, follow_symlinks=False)
    return copy / package.name / files.name


def _initialize(files: Path, directory: Path, user: pwd.struct_passwd | None, password: str) -> None:
    secret = directory / "secret"
    secret.touch(mode=0o600)
    if user is not None:
        os.chown(secret, user.pw_uid, user.pw_gid)
    secret.write_text(password + "\n")
    arguments = ["-D", str(directory / "data"), "-U", "postgres", "--encoding=UTF8", "--locale=C"]
    arguments += ["--auth=scram-sha-256", f"--pwfile={secret}", "--no-sync"]
    done = subprocess.run(
        [files / "bin" / "initdb", *arguments], capture_output=True, text=True, cwd=directory, **_as_user(user)
    )
    secret.unlink()
    if done.returncode != 0:
        raise StartFailedError(f"initdb said: {done.stderr or done.stdout}")


@contextmanager
def _server_process(files: Path, directory: Path, user: pwd.struct_passwd | None) -> Iterator["_Running"]:
    server = _Running(files, directory, user)
    try:
        server.start()
        yield server
    finally:
        _ignore_signals()
        server.stop()


class _Running:
    """The server, whose processes can all be killed, and which starts again on what they left."""

    def __init__(self, files: Path, directory: Path, user: pwd.struct_passwd | None) -> None:
        self.directory = directory
        self._files, self._user = files, user
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it takes connections; after a kill that is when it has recovered."""
        settings = {**SERVER_SETTINGS, "unix_socket_directories": str(self.directory)}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        log, status = self.directory / "log", self.directory / "data" / "postmaster.pid"
        status.unlink(missing_ok=True)  # that of one that was killed says that it is ready
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [self._files / "bin" / "postgres", "-D", self.directory / "data", *options],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=self.directory,
                **_as_user(self._user),
            )
        _wait_until_ready(self._process, status, log)

    def kill(self) -> int:
        """SIGKILL to each of its processes, none of which gets to say a word; how many they were."""
        if self._process is None or self._process.poll() is not None:
            return 0
        self._process.send_signal(signal.SIGSTOP)  # so that it starts no further one meanwhile
        pids = [self._process.pid, *_children_of(self._process.pid)]
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()
        while any(map(_is_running, pids)):
            time.sleep(0.002)
        return len(pids)

    def stop(self) -> None:
        """Stop it. One that was killed starts once more for that: the shared memory that it left outlives every process
        and its directory, and only a server on the same directory removes it.
        """
        if self._process is not None and self._process.poll() == -signal.SIGKILL:
            with suppress(StartFailedError, OSError):
                self.start()
        if self._process is not None and self._process.poll() is None:
            _stop(self._process)


def _children_of(parent: int) -> list[int]:
    return [pid for pid in _pids() if _stat_of(pid)[1:2] == [str(parent)]]


def _is_running(pid: int) -> bool:
    return _stat_of(pid)[:1] not in ([], ["Z"])


def _pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _stat_of(pid: int) -> list[str]:
    """State, parent …; nothing, if there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def _wait_until_ready(server: "subprocess.Popen[bytes]", status_file: Path, log: Path) -> None:
    """The server writes its status into the last line of its pid file."""
    deadline = time.monotonic() + STARTING_SECONDS_MAX
    while not _says_ready(status_file):
        if server.poll() is not None or time.monotonic() > deadline:
            raise StartFailedError(
                f"the server did not come up; its log says: {log.read_text(errors='replace')[-2000:]}"
            )
        time.sleep(0.01)


def _says_ready(status_file: Path) -> bool:
    try:
        return status_file.read_text().rstrip().endswith("ready")
    except FileNotFoundError:
        return False


def _stop(server: "subprocess.Popen[bytes]") -> None:
    """At once, since all that it could still write is about to be removed; but not before no process uses it."""
    for number in (signal.SIGQUIT, signal.SIGKILL):  # to the server: immediate, and no choice
        server.send_signal(number)
        try:
            server.wait(STOPPING_SECONDS_MAX)
            return
        except subprocess.TimeoutExpired:
            continue


def _ignore_signals() -> None:
    """Whoever is cleaning up finishes it."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _as_user(user: pwd.struct_passwd | None) -> dict[str, Any]:
    return {} if user is None else {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


if __name__ == "__main__":
    main()
