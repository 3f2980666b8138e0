"""The reference implementation as a system under test: commands in PostgreSQL, workers as processes."""

import json
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from itertools import count
from pathlib import Path

from keepfact.conformance.abilities import Awaited, Outside, Process, Rollout, StreamAddress, WriteAheadLog
from keepfact.conformance.meetings.actors import Meeting
from keepfact.impl.errors import ServerUnavailableError
from keepfact.impl.installation import Edit, Installation
from keepfact.impl.milestones import with_milestones
from keepfact.impl.outside import Outside as OutsideClient
from keepfact.impl.reconcile import look_up
from keepfact.impl.schema import unchanged
from keepfact.impl.server import PrivateServer, Server, postgres_server
from keepfact.impl.store import Identity, Store
from keepfact.spec.vocabulary import (
    TENANT,
    Asking,
    Capability,
    Command,
    Contract,
    Drift,
    EntryPoint,
    EventView,
    Observation,
    Outcome,
    RunId,
    Session,
    SourceId,
    TenantId,
    WaitId,
    WorkerId,
)

from . import clocks, rollouts
from .commands import ask, ask_beside_others
from .held import HeldRun
from .meeting import Actors
from .servers import told_as_unavailable
from .stagehand import Stagehand
from .streaming import Streaming
from .tables import EVENTS, MAY_WRITE, PREFIX, SCHEMA
from .views import event_view, observation
from .workers import Kind, Nursery, recovery_settings_of, settings_of

LOOK_UP_SECONDS_MAX = 60.0
PRINCIPAL = "harness"

OFFERED = frozenset(Capability) - {Capability.LOOKUP, Capability.REPLAY, Capability.PAYLOADS}
"""All but what needs a tool outside, a program of the model's own, and texts that are gone once they are purged."""


class Postgres:
    """An installation of its own on a server: the one given, or else the one that the environment names.

    The store's clock stands still and moves only by `tick`. `edit` may change the SQL before it is applied, so that
    a guard can be cut out to see whether anybody notices. The installation can be given a name, by which somebody else
    can `remove` it if this process is killed.
    """

    name = "postgres"
    contracts = frozenset(Contract)
    capabilities = OFFERED
    releases = rollouts.__name__
    """The module of what its workers carry: a release for each rollout, by the name of that."""

    def __init__(
        self, *, server: Server | None = None, edit: Edit = unchanged, installation: str | None = None
    ) -> None:
        with told_as_unavailable():
            self._start(server, edit, installation)

    def _start(self, server: Server | None, edit: Edit, installation: str | None) -> None:
        with ExitStack() as cleanup:
            self._is_server_ours = server is None
            self._server = server or cleanup.enter_context(postgres_server())
            built = lambda name, text: with_milestones(name, edit(name, text))  # noqa: E731
            created = Installation.create(self._server.dsn, built, name=installation)
            self._installation = cleanup.enter_context(created)
            self._stagehand = Stagehand(self._installation)
            cleanup.callback(self._stagehand.close)
            self._tenants: dict[TenantId, str] = {}
            self._numbers = count(1)
            self.lease_seconds = self._stagehand.lease_seconds
            self._store = Store(self._installation.dsns)
            cleanup.callback(lambda: self._store.close())
            self._nursery = Nursery()
            cleanup.callback(self._nursery.close)
            self._streaming = Streaming(self._installation.dsns)
            cleanup.callback(self._streaming.close)
            self._actors = Actors(self._installation.dsns, self._installation.admin_connection())
            cleanup.callback(lambda: self._actors.close())
            self._clocks = clocks.Clocks()
            cleanup.callback(self._clocks.close)
            self._cleanup = cleanup.pop_all()

    @property
    def installation(self) -> str:
        """Its name: that of its database, and the beginning of those of its roles."""
        return self._installation.name

    def begin(self) -> None:
        """Start afresh: with tenants of its own, with the tables at their first version, with no lease that is live."""
        self._tenants = {}
        self.tick(self.lease_seconds)
        self._stagehand.set_tables_to_their_first_version()

    def perform(self, command: Command) -> Outcome:
        """Do one command, in the session of its entry point."""
        return self.perform_in(Session(TENANT, PRINCIPAL, command.entry_point), command)

    def perform_in(self, session: Session, command: Command) -> Outcome:
        """Do one command as somebody else, or at another door: there the database itself refuses."""
        return ask(self._store, self._identity(session), session, command)

    def meeting(self, asked: Sequence[Command | Asking]) -> AbstractContextManager[Meeting]:
        """Each command in a session of its own, in which it is stopped at every milestone of its SQL."""
        return self._actors.meeting([self._way_to_ask(one) for one in asked])

    def _way_to_ask(self, asked: Command | Asking) -> Callable[[Store], Outcome]:
        if not isinstance(asked, Asking):
            asked = Asking(Session(TENANT, PRINCIPAL, asked.entry_point), asked)
        return partial(
            ask_beside_others, identity=self._identity(asked.session), session=asked.session, command=asked.command
        )

    def observe(self, runs: Sequence[RunId]) -> Observation:
        """Show these runs, in this order, whosever they are; beside them what is kept for the usual tenant."""
        usual = self._usual
        names = self._names
        surveys = [
            observation(self._store.speaking_for(Identity(name, PRINCIPAL)).survey(runs), names)
            for name in sorted(names, key=lambda name: name != usual.tenant)
        ]
        found = {run.run: run for survey in surveys for run in survey.runs}
        return replace(surveys[0], runs=tuple(found[run] for run in runs if run in found))

    def _identity(self, session: Session) -> Identity:
        """A tenant of the test is one of the installation, founded when it is first heard of."""
        if session.tenant not in self._tenants:
            name = f"{session.tenant}-{next(self._numbers)}"
            self._stagehand.found_tenant(name)
            self._tenants[session.tenant] = name
        return Identity(self._tenants[session.tenant], session.principal)

    @property
    def _names(self) -> dict[str, TenantId]:
        """The tenants of the test by their names in the installation."""
        return {name: tenant for tenant, name in self._tenants.items()}

    @property
    def _usual(self) -> Identity:
        return self._identity(Session(TENANT, PRINCIPAL, EntryPoint.OBSERVE))

    def drift(self, what: Drift) -> None:
        """Change one of the things that approvals are bound to."""
        self._stagehand.change_in_force(self._usual.tenant, what.value)

    def restart(self) -> None:
        """Whatever our process had in memory is gone."""
        self._store.close()
        self._store = Store(self._installation.dsns)

    def tick(self, seconds: int) -> None:
        """Move the store's clock on."""
        self._stagehand.tick(seconds)

    @property
    def write_ahead_log(self) -> WriteAheadLog:
        """That of the installation's database; every command signs what it writes."""
        return WriteAheadLog(self._installation.admin_dsn, frozenset({SCHEMA}), PREFIX, MAY_WRITE, EVENTS)

    def versions(self) -> dict[str, str]:
        """What is under test and what is below it."""
        return {
            **{package: version(package) for package in ("keepfact", "psycopg", "sqlalchemy")},
            "postgresql": self._stagehand.server_version,
            "python": platform.python_version(),
        }

    def start_worker(
        self, run: RunId, worker: WorkerId, outside: Outside, seams: Path | None, rollout: Rollout = Rollout.FIRST
    ) -> Process:
        """Start a worker process for one run, in a session and so in a process group of its own."""
        environment = settings_of(
            self._installation.dsns, self._usual, outside, seams, f"{self.releases}:{rollout.name}"
        )
        environment |= self._clocks.settings_of(worker)
        return self._nursery.start(["--run", run, "--worker", worker], environment)

    def start_recovery(self, run: RunId, outside: Outside, seams: Path | None) -> Process:
        """Start a recovery process for one run, in a session and so in a process group of its own."""
        environment = recovery_settings_of(self._installation.dsns, self._usual, outside, seams)
        return self._nursery.start(["--run", run], environment, Kind.RECOVERY)

    def sources(self) -> frozenset[SourceId]:
        """Of what runs find, and conclude."""
        return frozenset(SourceId(finding.source) for finding in rollouts.findings())

    def skew_clock(self, worker: WorkerId, ahead_seconds: int) -> None:
        """At once, or from its start on."""
        self._clocks.skew(worker, ahead_seconds)

    def clock_of(self, worker: WorkerId) -> float:
        """As it answers itself."""
        return self._clocks.read(worker)

    def awaited(self, run: RunId) -> Awaited:
        """The same in every run."""
        awaited = rollouts.DELIVERY
        return Awaited(WaitId(awaited.wait), awaited.arrivals, awaited.seconds)

    def database(self) -> str:
        """Where the server is."""
        return self._server.dsn

    @property
    def is_database_its_own(self) -> bool:
        """It was started with the system, and nobody else is on it."""
        return self._is_server_ours and isinstance(self._server, PrivateServer)

    def kill_database(self) -> str:
        """SIGKILL to every process of the server."""
        assert isinstance(self._server, PrivateServer)  # or it is not the system's own
        self._killed_at = self._stagehand.now
        return f"{self._server.kill()} processes of PostgreSQL died by SIGKILL"

    def start_database(self) -> None:
        """Start it again on what it left, and come back to it. The clock of the test stands where it stood."""
        assert isinstance(self._server, PrivateServer)
        self._server.start()
        self.restart()
        self._actors.close()
        self._actors = Actors(self._installation.dsns, self._installation.admin_connection())
        self._stagehand.come_back(self._killed_at)

    @contextmanager
    def leases_of(self, seconds: int) -> Iterator[None]:
        """Have leases that are granted meanwhile last so long."""
        self._stagehand.grant_leases_of(seconds)
        try:
            yield
        finally:
            self._stagehand.grant_leases_of(self.lease_seconds)

    @contextmanager
    def hold_writes(self, run: RunId) -> Iterator["HeldRun"]:
        """Hold the row lock that every write to the run takes first."""
        with self._installation.admin_connection() as holder:
            holder.execute("select set_config('keepfact.tenant', %s, false)", [self._usual.tenant])
            yield HeldRun(holder, run)

    def look_up(self, run: RunId, outside: Outside) -> None:
        """Have the system ask the tool about the run's unresolved operations and record what it says."""
        client = OutsideClient(outside.model_url, outside.tool_url, LOOK_UP_SECONDS_MAX)
        try:
            look_up(self._store.speaking_for(self._usual), client, run)
        finally:
            client.close()

    def stream_address(self, run: RunId) -> StreamAddress:
        """At a gateway of its own, which is started when it is first asked for."""
        return self._streaming.address(self._usual, run)

    def streamed_event(self, run: RunId, data: str) -> EventView:
        """As it is shown."""
        return event_view(json.loads(data))

    def close(self) -> None:
        """Drop the installation, and stop the server if it was started here. Closing again does nothing.

        With a server of its own that never came back all that was on it has gone, which somebody has been told.
        """
        with suppress(ServerUnavailableError) if self.is_database_its_own else nullcontext():
            self._cleanup.close()
