"""A process that keeps a private PostgreSQL server alive for exactly as long as the process that asked for it lives.

It starts the server as its child, writes one line (`ready` with the socket's directory, or `failed` with the reason),
and waits for its standard input to end. That end comes also when the other process is killed; then the server is
stopped and its directory removed, so that nothing is ever left behind.
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
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SERVER_SETTINGS = {
    "max_connections": "300",  # workers keep one open at each door that they may knock at
    "listen_addresses": "",  # only the socket in a private directory
    "wal_level": "logical",  # so that the write-ahead log can be read as a witness
    "timezone": "UTC",
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
        with _running_server(Path(sys.argv[1]), password) as sockets:
            print(f"ready {sockets}", flush=True)
            sys.stdin.read(1)
    except (StartFailedError, OSError) as error:
        print("failed " + " ".join(str(error).split()), flush=True)
        sys.exit(1)


@contextmanager
def _running_server(files: Path, password: str) -> Iterator[Path]:
    user = _server_user()
    directory = Path(tempfile.mkdtemp(prefix="keepfact-", dir=_base_directory()))
    try:
        if user is not None:
            os.chown(directory, user.pw_uid, user.pw_gid)
            files = _reachable(files, directory, user)
        _initialize(files, directory, user, password)
        with _server_process(files, directory, user):
            yield directory
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
def _server_process(files: Path, directory: Path, user: pwd.struct_passwd | None) -> Iterator[None]:
    settings = {**SERVER_SETTINGS, "unix_socket_directories": str(directory)}
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    log = directory / "log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            [files / "bin" / "postgres", "-D", directory / "data", *options],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=directory,
            **_as_user(user),
        )
    try:
        _wait_until_ready(server, directory / "data" / "postmaster.pid", log)
        yield
    finally:
        _ignore_signals()
        _stop(server)


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
    """Politely first; a directory is only removed once no process uses it."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):  # to the server: fast, immediate, and no choice
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
