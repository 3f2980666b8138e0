"""The clients of one run's stream: they come, are cut, come back; and what they are told then is judged."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property

from keepfact.conformance.abilities import ServesStreams, StreamAddress
from keepfact.conformance.evidence import FaultRecord
from keepfact.spec.vocabulary import ENDS, Done, EventView, Stream, Streamed

from ..strikes import Strike
from ..trial import Trial
from ..waiting import NotReachedError
from ..wal import Transaction
from ..wal.authority import in_words
from .client import Client
from .connection import StreamError
from .hearing import hear


class Audience:
    """Clients of a trial. `cuts` counts the connections that were reset, each told in a fault record.

    Whatever reads raises StreamError when what comes is no stream of events.
    """

    def __init__(self, trial: Trial, streams: ServesStreams, patience_seconds: float) -> None:
        self._trial, self._streams, self.patience_seconds = trial, streams, patience_seconds
        self.clients: list[Client] = []
        self.cuts = 0

    @property
    def committed(self) -> int:
        """The number of the last event that the run shows."""
        return len(self._trial.view.history)

    @property
    def is_over(self) -> bool:
        """The run has ended, and so must every stream of it."""
        return self._trial.view.state in ENDS

    def newcomers(self, numbers: Iterable[int]) -> list[Client]:
        """One client for each of these numbers: it has read into what follows the event of that number.

        Raises NotReachedError if nothing follows.
        """
        come = []
        for number in numbers:
            come.append(self.newcomer())
            come[-1].read_into(number)
        return come

    def newcomer(self) -> Client:
        """A client that has opened the stream from the first event on."""
        client = Client(self._address)
        self.clients.append(client)
        client.come()
        return client

    def hear(self, clients: Sequence[Client]) -> None:
        """Each gets all events that are committed, and if the run has ended, the end; what it gets is judged.

        Raises NotReachedError if one does not.
        """
        is_over, number = self.is_over, self.committed

        def has_all(client: Client) -> bool:
            return client.now.is_over if is_over else client.now.is_answered and client.last >= number

        late = hear(clients, has_all, self.patience_seconds)
        silent = [client for client in late if not client.now.goes_wrong]
        for client in clients:
            if client not in silent:
                self._judge(client)
            if client.now.goes_wrong:
                client.give_up()
        if silent:
            now = silent[0].now
            why = now.trouble or f"nothing more came within {self.patience_seconds:g} s"
            what = "the end of a run that has ended" if is_over else f"event {number}"
            raise NotReachedError(
                f"expected {len(clients)} clients to get {what}, but {len(silent)} did not; the first of them has "
                f"event {now.last}, and {why}."
            )

    def cut(self, clients: Iterable[Client], strike: Strike) -> None:
        """Reset their connections. Raises NotReachedError if one stands no more."""
        numbers = []
        for client in clients:
            proof = client.now.cut()
            numbers.append(client.last)
            self.cuts += 1
            self._record(strike, proof)
        self._trial.timeline.mark("client", "kill", f"{_counted(numbers)}: their connections were reset")

    def come_back(self, clients: Iterable[Client]) -> None:
        """Each opens the stream from the last event on that it has."""
        numbers = []
        for client in clients:
            numbers.append(client.last)
            client.come()
        self._trial.timeline.mark("client", "recovery", f"{_counted(numbers)}: they have come back")

    @contextmanager
    def nothing_is_written(self, what: str) -> Iterator[None]:
        """In here the worker stands still, and nothing is written but its heartbeat: reading writes nothing."""
        watch = self._trial.stage.watch
        if watch is None:
            yield
            return
        watch.news()
        yield
        written = [one for one in watch.news() if not watch.is_heartbeat(one)]
        seen = "; ".join(map(_told, written))
        self._trial.expect("ENTRY.1", not written, f"no row is written while {what}", seen)

    def judge_the_whole(self) -> None:
        """What each client has put together, over all its connections, is the history, once and in order.

        Of one whose stream has not ended that much can be said only of what it has so far.
        """
        history = self._trial.view.history
        for place, client in enumerate(self.clients, 1):
            views, ends = self._views(client), [connection.ends for connection in client.connections]
            due = history if client.now.is_over else history[: len(views)]
            self._trial.expect(
                "HISTORY.6",
                views == due,
                f"client {place}, which has come {len(ends)} times, has events 1 to {len(due)}, each once and as "
                "committed",
                f"it has {', '.join(str(view.number) for view in views)}",
            )
            self._trial.expect(
                "HISTORY.6",
                not client.now.is_over or (ends[-1] == 1 and max(ends) <= 1),
                f"to client {place} every stream ends at most once, and the last one does",
                f"they ended {ends} times",
            )

    def withhold(self, strikes: Iterable[Strike]) -> None:
        """Nobody is cut."""
        for strike in strikes:
            self._record(strike, "withheld", delivered=False)

    def close(self) -> None:
        for client in self.clients:
            client.close()

    @cached_property
    def _address(self) -> StreamAddress:
        return self._streams.stream_address(self._trial.run)

    def _judge(self, client: Client) -> None:
        """What came over this connection is the answer to the question with which it was opened."""
        now = client.now
        asked = Stream(self._trial.command_id(), self._trial.run, now.after)
        streamed = Streamed(tuple(map(self._view, (told.data for told in now.events))), now.ends == 1 and now.is_over)
        self._trial.hear(asked, Done(stream=streamed))

    def _views(self, client: Client) -> tuple[EventView, ...]:
        return tuple(self._view(told.data) for told in client.events)

    def _view(self, data: str) -> EventView:
        try:
            return self._streams.streamed_event(self._trial.run, data)
        except (ValueError, LookupError, TypeError) as error:
            raise StreamError(
                f"expected the adapter of {self._trial.stage.system.name} to read the data of a streamed event, but "
                f"{type(error).__name__}: {error}: {data[:200]!r}."
            ) from error

    def _record(self, strike: Strike, proof: str, *, delivered: bool = True) -> None:
        if self._trial.stage.evidence is not None:
            self._trial.stage.evidence.write(
                FaultRecord(
                    experiment=self._trial.stage.experiment,
                    trace=self._trial.run,
                    seam=f"{strike.number} {strike.seam}",
                    side=strike.side,
                    delivered=delivered,
                    proof=proof,
                )
            )


def _counted(numbers: Sequence[int]) -> str:
    """So many clients, and which event was the last that they had."""
    if not numbers:
        return "nobody"
    return f"{len(numbers)} clients with events {min(numbers)} to {max(numbers)} as their last"


def _told(transaction: Transaction) -> str:
    signed = ", ".join(f"{message.prefix} {message.content}" for message in transaction.messages) or "nobody"
    return f"transaction {transaction.xid}, signed by {signed}, wrote {in_words(transaction)}"
