"""The toy system with streams over HTTP: the events that its model has, as they come. Subclasses go wrong."""

import threading
from collections.abc import Sequence
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from pydantic import TypeAdapter

from keepfact.conformance.abilities import StreamAddress
from keepfact.spec.vocabulary import ENDS, Capability, Command, EventView, Outcome, RunId

from .toy import Toy

_EVENTS = TypeAdapter(EventView)


class StreamingToy(Toy):
    """Streams well."""

    capabilities = frozenset({Capability.STREAMS})
    ends = 1

    def __init__(self) -> None:
        super().__init__()
        self._has_changed = threading.Condition()
        self._streams = _Streams(self)
        threading.Thread(target=self._streams.serve_forever, args=(0.01,), daemon=True).start()

    def perform(self, command: Command) -> Outcome:
        outcome = super().perform(command)
        with self._has_changed:
            self._has_changed.notify_all()
        return outcome

    def wait_for_change(self, run: RunId, after: int) -> None:
        """Until something may have happened after that event."""
        with self._has_changed:
            if len(self.observe([run]).runs[0].history) <= after:
                self._has_changed.wait(1)

    def stream_address(self, run: RunId) -> StreamAddress:
        return StreamAddress(f"http://127.0.0.1:{self._streams.server_port}/{run}", {})

    def streamed_event(self, run: RunId, data: str) -> EventView:
        return _EVENTS.validate_json(data)

    def events_after(self, run: RunId, after: int, asked: int) -> Sequence[EventView]:
        """What is streamed next to who has the event `after`, and asked for those after `asked`."""
        return self.observe([run]).runs[0].history[after:]

    def comes_back(self, run: RunId) -> None:
        """A client has come back."""

    def is_over(self, run: RunId) -> bool:
        return self.observe([run]).runs[0].state in ENDS

    def close(self) -> None:
        self._streams.shutdown()
        self._streams.server_close()
        super().close()


class PassesOver(StreamingToy):
    def events_after(self, run: RunId, after: int, asked: int) -> Sequence[EventView]:
        return super().events_after(run, after + (after == asked > 0), asked)


class Repeats(StreamingToy):
    def events_after(self, run: RunId, after: int, asked: int) -> Sequence[EventView]:
        return super().events_after(run, after - (after == asked > 0), asked)


class SaysOtherwiseTheSecondTime(StreamingToy):
    def events_after(self, run: RunId, after: int, asked: int) -> Sequence[EventView]:
        events = super().events_after(run, after, asked)
        return [replace(event, principal="somebody") for event in events] if asked else events


class TellsWhatIsNotCommitted(StreamingToy):
    """Whoever comes back is told already what is going to happen, or perhaps not."""

    def events_after(self, run: RunId, after: int, asked: int) -> Sequence[EventView]:
        events = super().events_after(run, after, asked)
        history = self.observe([run]).runs[0].history
        foretold = replace(history[-1], number=len(history) + 1)
        return [*events, foretold] if asked and after <= len(history) and not self.is_over(run) else events


class EndsTwice(StreamingToy):
    ends = 2


class NeverEnds(StreamingToy):
    ends = 0


class AsksTheModel(StreamingToy):
    """To tell who comes back what happened meanwhile, in nice words."""

    def comes_back(self, run: RunId) -> None:
        import httpx

        asked = {"messages": [{"role": "user", "content": "What happened meanwhile?"}]}
        httpx.post(f"{self.outside[run].model_url}/v1/chat/completions", json=asked, trust_env=False)


class _Streams(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1_000  # clients come back all at once

    def __init__(self, toy: StreamingToy) -> None:
        super().__init__(("127.0.0.1", 0), _Session)
        self.toy = toy

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that are cut are what all this is about."""


class _Session(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        toy: StreamingToy = self.server.toy  # type: ignore[attr-defined]  # typeshed knows only the base class
        run = RunId(self.path.strip("/"))
        after = asked = int(self.headers.get("Last-Event-ID") or 0)
        if asked:
            toy.comes_back(run)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while True:
            is_over = toy.is_over(run)  # asked first: what is read after it is complete
            events = toy.events_after(run, after, asked)
            for event in events:
                self._say(f"id: {event.number}\ndata: {_EVENTS.dump_json(event).decode()}\n\n")
                after = event.number
            if is_over and toy.ends:
                break
            toy.wait_for_change(run, after)
        for _ in range(toy.ends):
            self._say(f"id: {after}\nevent: end\ndata: {{}}\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _say(self, text: str) -> None:
        self.wfile.write(f"{len(text.encode()):x}\r\n{text}\r\n".encode())

    def log_message(self, *_: object) -> None:
        """Says nothing."""
