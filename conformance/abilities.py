"""What an adapter can offer beyond commands: processes to be killed, a database to be cut off, streams, a readable log.

Experiments ask for these; each says which it needs.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol, runtime_checkable

from keepfact.spec.vocabulary import (
    BundleId,
    EntryPoint,
    EventView,
    RunId,
    SourceId,
    WaitId,
    WorkerId,
)


@dataclass(frozen=True, slots=True)
class DatabaseAddress:
    """Where a PostgreSQL is reached over TCP."""

    host: str
    port: int


@dataclass(frozen=True, slots=True)
class Outside:
    """Where the world's servers are: base URLs, without a slash at the end.

    `database` is given only to systems that are `KeepsInPostgres`: there, and nowhere else, the worker and all that it
    starts must reach the database.
    """

    model_url: str
    tool_url: str
    database: DatabaseAddress | None = None


SECOND_BUNDLE = BundleId("bundle-2")
"""What the second release brings."""


class Rollout(StrEnum):
    """A release of the workers, by what it brings. The first asks for approval before the tool `transfer`."""

    FIRST = "first"
    SECOND = "second"
    """Brings a bundle of its own, and still carries that of the first."""
    SECOND_ALONE = "second alone"
    """Brings a bundle of its own, and carries that of the first no more."""
    CHANGED_ARGUMENTS = "changed arguments"
    """The program of the first bundle was changed in place: it gives the tool other arguments."""
    CHANGED_PLAN = "changed plan"
    """The program of the first bundle was changed in place: it does something else there, and asks nobody."""


class Process(Protocol):
    """A child process of ours, as `subprocess.Popen` is one."""

    pid: int
    returncode: int | None

    def poll(self) -> int | None:
        """Its exit status if it has ended, negative for the signal that ended it."""

    def wait(self, timeout: float | None = None) -> int:
        """The same, once it has ended. Raises subprocess.TimeoutExpired after so many seconds."""

    def kill(self) -> None:
        """SIGKILL, unless it has ended."""


class HeldWrites(Protocol):
    """A run whose next write waits inside the database."""

    def is_waited_for(self, writes: int = 1) -> bool:
        """So many writes of the run have reached the database and wait there, one of them first."""

    def is_settled(self) -> bool:
        """After letting go: the write that waited has been committed or rolled back."""

    def let_go(self) -> None:
        """Let the write go on."""


@runtime_checkable
class RunsWorkers(Protocol):
    """A system whose workers are processes of their own.

    A worker told of a seam socket connects to it, writes the name of each seam as a line when it gets there, and
    waits for the line `go` before it goes on. The first word of a seam ends in `ing` where the worker is about to
    write to the store (`recording answer`): there its write can be held, and its sender killed meanwhile.
    """

    def start_worker(
        self, run: RunId, worker: WorkerId, outside: Outside, seams: Path | None, rollout: Rollout = Rollout.FIRST
    ) -> Process:
        """Start a worker for one run in a process group of its own; `seams` is a Unix socket that listens.

        It claims a run that is queued, takes up a wake that was accepted (its seam is `waking` then), and goes on with
        a run under resume that lost its worker (`recovering`). Only systems that offer releases are asked for another
        rollout than the first.
        """

    def hold_writes(self, run: RunId) -> AbstractContextManager[HeldWrites]:
        """Make the next write to the run wait inside the database until let go."""

    def look_up(self, run: RunId, outside: Outside) -> None:
        """Have the system ask the tool about unresolved operations by itself, and record what it says."""


@runtime_checkable
class RunsRecovery(Protocol):
    """A system whose recovery is a process of its own, too. It stops at seams as a worker does."""

    def start_recovery(self, run: RunId, outside: Outside, seams: Path | None) -> Process:
        """Start one that brings this one run to its end, in a process group of its own, and ends then.

        It is asked for runs under settle that have lost their worker; under resume another worker recovers. Its seam
        is `recovering` before it settles the run, and `reconciling` before each evidence that it records, if it asks
        tools by itself; one that has found the run settled goes on from there.
        """


@dataclass(frozen=True, slots=True)
class Awaited:
    """Callbacks that a run waits for: under which name, how many, numbered from 1, and for how long."""

    wait: WaitId
    callbacks: int
    seconds: int


@runtime_checkable
class AwaitsCallbacks(Protocol):
    """A system whose workers of the first release have their run wait for callbacks once the tool `order` has acted,
    and go on when all have come.
    """

    def awaited(self, run: RunId) -> Awaited:
        """What that run will wait for; asked before it waits, too."""


@runtime_checkable
class KeepsFindings(Protocol):
    """A system whose workers of the first release save what they find, and read what others have found.

    Once the tool `read_invoice` has answered they save findings of several sources, of which at least one derives from
    one of another source, and one from none. What their run was handed they read: the first before they ask the model,
    the rest after the tool has acted; then they save a finding of their own that derives from all of it. A run that is
    refused one of them does without it, or fails.
    """

    def sources(self) -> frozenset[SourceId]:
        """All sources of what they save."""


@runtime_checkable
class SkewsClocks(Protocol):
    """A system whose clocks can be made wrong: those of its workers, and the store's, which `tick` sets back if it is
    told a number below 0.
    """

    def skew_clock(self, worker: WorkerId, ahead_seconds: int) -> None:
        """Have the clock by which this worker tells the time of day go so many seconds ahead of this host's, or behind
        if below 0: at once, or from its start on if it is still to be started.
        """

    def clock_of(self, worker: WorkerId) -> float:
        """What the worker's clock shows, as the worker itself reads it, in Unix seconds."""


@runtime_checkable
class KeepsInPostgres(Protocol):
    """A system that keeps its facts in a PostgreSQL, so that its workers can be cut off from it.

    A proxy that stands between cannot offer encryption: connections to an `Outside.database` are made without.
    """

    def database(self) -> str:
        """A connection string of libpq whose host and port lead to it; it may be the directory of a socket."""

    def leases_of(self, seconds: int) -> AbstractContextManager[None]:
        """Have leases that are granted meanwhile last so long for those who hold them."""


@runtime_checkable
class KillsItsDatabase(KeepsInPostgres, Protocol):
    """A system whose PostgreSQL may be its own, so that it can be killed and started again."""

    @property
    def is_database_its_own(self) -> bool:
        """Nobody else is on that server."""

    def kill_database(self) -> str:
        """SIGKILL every process of the server; the proof. Whatever it has not written down is gone."""

    def start_database(self) -> None:
        """Start it again on what it left; returns once it takes connections, and the adapter itself has come back."""


@dataclass(frozen=True, slots=True)
class StreamAddress:
    """Where the events of a run are streamed: a URL, and the headers to ask with, a token among them."""

    url: str
    headers: Mapping[str, str] = field(repr=False)


@runtime_checkable
class ServesStreams(Protocol):
    """A system that streams the events of a run over HTTP, as server-sent events, while they are committed.

    The `id` of each is its number. Who comes back says as `Last-Event-ID` which one came last. After the last event of
    a run that has ended comes one that is called `end`, and then the answer ends.
    """

    def stream_address(self, run: RunId) -> StreamAddress:
        """Where the events of that run are streamed."""

    def streamed_event(self, run: RunId, data: str) -> EventView:
        """What the data of one of them says. Raises ValueError, or LookupError, where it says something else."""


HARNESS = "keepfact-harness"
"""The prefix of the message with which an adapter signs what it writes itself: time that it moves, for one."""


@dataclass(frozen=True, slots=True)
class EventsTable:
    """Where the history is stored: the table, and its columns for the run, the type and the entry point of an event."""

    table: str
    run: str
    type: str
    entry_point: str


@dataclass(frozen=True, slots=True)
class WriteAheadLog:
    """Where a system's own writes can be witnessed, all of them, whatever it shows.

    `dsn` is of somebody who may read the log of the database, in which the system's tables are those of `schemas`. What
    it writes it signs, if it does, with one message a transaction: `prefix`, and as content `entry_point:command`.
    `may_write` says what each entry point may write, as `insert runs`.
    """

    dsn: str = field(repr=False)
    schemas: frozenset[str]
    prefix: str | None = None
    may_write: Mapping[EntryPoint, frozenset[str]] = field(default_factory=dict)
    events: EventsTable | None = None


@runtime_checkable
class KeepsALog(Protocol):
    """A system in PostgreSQL, whose write-ahead log can be read as a witness."""

    @property
    def write_ahead_log(self) -> WriteAheadLog:
        """Where it is, and who may write what."""
