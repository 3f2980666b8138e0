"""The file with which an installation is handed over: its name, and a connection string for each of its doors."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from .commands import ENTRY_POINTS
from .connect import read_dsn
from .errors import BadSettingsError

VARIABLE = "KEEPFACT_CREDENTIALS"
FORMAT = 1


@dataclass(frozen=True)
class Credentials:
    """Whoever has the file may ask at the doors that are in it, for every tenant; a process needs only its own."""

    installation: str
    doors: dict[str, str] = field(repr=False)
    format: int = FORMAT

    @classmethod
    def read(cls, path: Path) -> "Credentials":
        """Raises BadSettingsError, which repeats nothing of what stands in the file."""
        try:
            said = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise _unreadable(path, f"it cannot be read: {error.strerror}") from None
        except ValueError:
            raise _unreadable(path, "it is no JSON") from None
        if not _has_form(said):
            raise _unreadable(path, "it has another form")
        for dsn in said["doors"].values():
            read_dsn(dsn)
        return cls(said["installation"], said["doors"])


@contextmanager
def new_file(path: Path) -> Iterator[IO[str]]:
    """A new file that only its owner may read, for as long as it takes to fill it; removed if that fails.

    Raises BadSettingsError for one that is there: its passwords may be the only copy.
    """
    try:
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise BadSettingsError(
            expected=f"to write a new file {path}",
            seen="it is there already" if path.exists() else f"that is not possible: {error.strerror}",
            next_step="Give another with --credentials, or move that one away.",
        ) from None
    with os.fdopen(opened, "w", encoding="utf-8") as file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            path.unlink()
            raise


def write(file: IO[str], credentials: Credentials) -> None:
    """One JSON object, to be read by people too."""
    json.dump(asdict(credentials), file, indent=2)
    file.write("\n")


def with_credentials(environment: Mapping[str, str]) -> Mapping[str, str]:
    """The environment, and where KEEPFACT_CREDENTIALS names a file, each door of it that has no variable of its own."""
    if not (path := environment.get(VARIABLE)):
        return environment
    doors = Credentials.read(Path(path)).doors
    return {**{dsn_name(door): dsn for door, dsn in doors.items()}, **_set(environment)}


def dsn_name(entry_point: str) -> str:
    """The name of the variable that holds the connection string of an entry point."""
    return f"KEEPFACT_{entry_point.upper()}_DSN"


def _set(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if value}


def _has_form(said: Any) -> bool:
    return (
        isinstance(said, dict)
        and said.get("format") == FORMAT
        and isinstance(said.get("installation"), str)
        and isinstance(said.get("doors"), dict)
        and said["doors"].keys() <= set(ENTRY_POINTS)
        and all(isinstance(dsn, str) for dsn in said["doors"].values())
    )


def _unreadable(path: Path, seen: str) -> BadSettingsError:
    return BadSettingsError(
        expected=f"{path} to be a file of credentials as `keepfact install` writes it",
        seen=seen,
        next_step=f"Correct {VARIABLE} or --credentials.",
    )
