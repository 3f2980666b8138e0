"""The reference implementation through its own door: every command goes over the public HTTP API of a real gateway.

The gateway is a process of its own on an installation of its own, asked as the document says that it serves: with a
bearer token for the tenant, the principal and the one entry point of whoever asks. A run is what the gateway shows of
it, read again whenever the database shows that it has moved. Past the gateway goes what belongs to no client: the
clock, the founding of tenants, drift, workers, and what is kept beyond one run, which no path shows.

All that the implementation offers can be said over HTTP, so its capabilities are the same. A stream is read in pages:
they hold the same events, and end with the last one there is instead of waiting for the next.
"""

from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import Any

from keepfact.conformance.abilities import StreamAddress
from keepfact.conformance.asking import AdapterError
from keepfact.conformance.wire.connection import Answer, Connection, CutError, NoAnswerError
from keepfact.impl.installation import Edit
from keepfact.impl.server import Server
from keepfact.spec.vocabulary import (
    TENANT,
    Command,
    Done,
    EntryPoint,
    Lost,
    Observation,
    Observe,
    Outcome,
    Reason,
    Refused,
    RunId,
    RunView,
    Session,
    Stream,
    Streamed,
)

from .gateway_process import GatewayProcess
from .gateway_requests import (
    Request,
    Requests,
    UnreadableAnswerError,
    UnsayableError,
    content_of,
    outcome_of,
    refusal_in,
)
from .postgres import PRINCIPAL, Postgres
from .postgres.streaming import address_at
from .postgres.views import event_view, run_view

ANSWER_SECONDS = 60.0
"""Longer than the gateway itself waits for its store."""
PAGE = 1_000


class Gateway(Postgres):
    """An installation of its own with a gateway in front."""

    name = "gateway"
    meeting = None  # type: ignore[assignment]  # commands are stopped inside the database: no way leads there over HTTP

    def _start(self, server: Server | None, edit: Edit, installation: str | None) -> None:
        super()._start(server, edit, installation)
        self._issued: set[tuple[str, str]] = set()
        self._seen: dict[RunId, tuple[RunView, RunView]] = {}
        try:
            self._process = GatewayProcess(self._installation.dsns)
            self._cleanup.callback(self._process.close)
            self._connect()
            self._cleanup.callback(lambda: self._connection.close())
        except BaseException:
            self.close()
            raise

    def begin(self) -> None:
        """Start afresh; the tokens of the tenants so far are withdrawn."""
        super().begin()
        self._issued.clear()
        self._seen.clear()

    def perform_in(self, session: Session, command: Command) -> Outcome:
        """Do one command with the token of this session. A door that is not its own does not open."""
        try:
            if isinstance(command, Stream):
                return self._read_events(session, command)
            request = self._requests.command(command)
            headers: dict[str, str] = {"idempotency-key": command.command_id}
            if isinstance(command, Observe):
                request, headers = self._requests.reading("observe", command.run), {}
            return self._outcome(self._ask(session, request, headers), command)
        except UnsayableError:
            return Refused(Reason.MALFORMED)
        except CutError:
            return Lost()

    def observe(self, runs: Sequence[RunId]) -> Observation:
        """What the gateway shows of these runs; beside it what is kept for the usual tenant, from the database."""
        stored = super().observe(runs)
        return replace(stored, runs=tuple(map(self._shown, stored.runs)))

    def stream_address(self, run: RunId) -> StreamAddress:
        """At the gateway that is under test."""
        return address_at(self._url, self._token(Session(TENANT, PRINCIPAL, EntryPoint.OBSERVE)), run)

    def restart(self) -> None:
        """The process of the gateway dies, and another one takes its place."""
        super().restart()
        self._connection.close()
        self._process.kill()
        self._connect()

    def versions(self) -> dict[str, str]:
        """What is under test and what is below it."""
        return {**super().versions(), **{package: version(package) for package in ("starlette", "uvicorn")}}

    def _connect(self) -> None:
        self._url = self._process.start()
        self._connection = Connection(self._url)
        document = content_of(self._sent(Request("GET", "/openapi.json", b""), {}))
        self._requests = Requests(document)

    def _shown(self, stored: RunView) -> RunView:
        known = self._seen.get(stored.run)
        if known is None or known[0] != stored:
            session = Session(stored.tenant, PRINCIPAL, EntryPoint.OBSERVE)
            answer = self._read(session, self._requests.reading("observe", stored.run))
            if answer.status != 200:
                raise self._fault("show a run that is stored", f"it answered {answer.status}")
            known = self._seen[stored.run] = stored, run_view(content_of(answer), self._names)
        return known[1]

    def _read_events(self, session: Session, command: Stream) -> Outcome:
        """Page after page. What is after no number, the gateway says itself."""
        events: list[Any] = []
        after = command.after
        while True:
            request = self._requests.reading("events", command.run, f"?after={after}&limit={PAGE}")
            try:
                answer = self._ask(session, request, {})
            except CutError:
                return Lost()
            if answer.status != 200:
                return self._outcome(answer, command)
            page = content_of(answer)
            events += page["events"]
            after = page["next_after"]
            if len(page["events"]) < PAGE:
                return Done(stream=Streamed(tuple(map(event_view, events)), page["is_over"]))

    def _outcome(self, answer: Answer, command: Command) -> Outcome:
        try:
            if not isinstance(command, Observe | Stream):
                return outcome_of(answer, command)
            return Done() if answer.status == 200 else refusal_in(answer)
        except (UnreadableAnswerError, LookupError, TypeError) as error:
            raise self._fault(f"perform {type(command).__name__}", str(error)) from None

    def _read(self, session: Session, request: Request) -> Answer:
        """Once more, if the connection was cut: reading changes nothing."""
        try:
            return self._ask(session, request, {})
        except CutError:
            pass
        try:
            return self._ask(session, request, {})
        except CutError as error:
            raise self._fault(f"answer {request.path}", str(error)) from None

    def _ask(self, session: Session, request: Request, headers: dict[str, str]) -> Answer:
        """With the token of whoever asks. Raises CutError."""
        return self._sent(request, {"authorization": f"Bearer {self._token(session)}", **headers})

    def _token(self, session: Session) -> str:
        identity = self._identity(session)
        if identity not in self._issued:
            self._issued.add((identity.tenant, identity.principal))
            self._process.issue(self._issued)
        return self._process.token(identity.tenant, identity.principal, session.role)

    def _sent(self, request: Request, headers: dict[str, str]) -> Answer:
        try:
            return self._connection.ask(request.method, request.path, request.body, ANSWER_SECONDS, headers)
        except CutError:
            raise
        except NoAnswerError as error:
            raise self._fault(f"answer {request.path}", str(error)) from None

    def _fault(self, expected: str, seen: str) -> AdapterError:
        return AdapterError(
            f"expected the gateway to {expected}, but {seen}; {self._process.last_words()}. Look at what it says "
            "there: this is a fault of the gateway or of how it is asked."
        )
