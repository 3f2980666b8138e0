"""A small system that is not ours: the model behind a socket as its store, and workers that are real processes."""

import json
import socketserver
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import httpx
from pydantic import TypeAdapter

from keepfact.conformance.abilities import HeldWrites, Outside
from keepfact.model.state import State
from keepfact.model.step import step
from keepfact.model.view import view
from keepfact.spec import vocabulary
from keepfact.spec.vocabulary import (
    CallKind,
    CallState,
    Command,
    CommandId,
    Contract,
    Done,
    Evidence,
    Observation,
    Outcome,
    Reconcile,
    RunId,
    Tick,
    WorkerId,
)

WORKER = Path(__file__).with_name("toy_worker.py")


class Toy:
    """Behaves well. Subclasses do not, and `habit` is passed on to the workers."""

    name = "toy"
    lease_seconds = 30
    contracts = frozenset({Contract.SETTLE})
    habit = "none"

    def __init__(self) -> None:
        self.state = State(lease_seconds=self.lease_seconds)
        self.workers: list[subprocess.Popen[bytes]] = []
        self.outside: dict[RunId, Outside] = {}
        self._lock = threading.Lock()
        self._held: dict[str, Held] = {}
        self._directory = tempfile.TemporaryDirectory(prefix="toy-")
        self._socket = f"{self._directory.name}/store"
        self._server = _Server(self._socket, self)
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def perform(self, command: Command) -> Outcome:
        with self._lock:
            outcome, self.state = step(self.state, command)
        assert outcome is not None
        return outcome

    def observe(self, runs: Sequence[RunId]) -> Observation:
        return view(self.state, runs)

    def tick(self, seconds: int) -> None:
        with self._lock:
            _, self.state = step(self.state, Tick(seconds))

    def versions(self) -> dict[str, str]:
        return {"toy": "1"}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._directory.cleanup()

    def start_worker(
        self, run: RunId, worker: WorkerId, outside: Outside, seams: Path | None
    ) -> subprocess.Popen[bytes]:
        self.outside[run] = outside
        told = {
            "run": run,
            "worker": worker,
            "store": self._socket,
            "model_url": outside.model_url,
            "tool_url": outside.tool_url,
            "seams": None if seams is None else str(seams),
            "habit": self.habit,
        }
        command = [sys.executable, "-S", str(WORKER), json.dumps(told)]
        self.workers.append(subprocess.Popen(command, process_group=0, stderr=subprocess.DEVNULL))
        return self.workers[-1]

    @contextmanager
    def hold_writes(self, run: RunId) -> Iterator[HeldWrites]:
        held = self._held[run] = Held()
        try:
            yield held
        finally:
            held.let_go()
            del self._held[run]

    def look_up(self, run: RunId, outside: Outside) -> None:
        for call in self.observe([run]).runs[0].calls:
            if call.kind is CallKind.OPERATION and call.state is CallState.UNKNOWN:
                said = httpx.get(f"{outside.tool_url}/operations/{call.call}", trust_env=False).json()
                evidence = Evidence(said["status"])
                self.perform(
                    Reconcile(CommandId(f"look-up-{call.call}"), run, call.call, evidence, said.get("cost_cents"))
                )

    def perform_for_worker(self, asked: dict[str, Any]) -> dict[str, Any]:
        """A command as it comes from a worker: it may have to wait while writes to its run are held."""
        held = self._held.get(asked["run"])
        if held is not None:
            held.wait()
        outcome = self.perform(TypeAdapter(getattr(vocabulary, asked.pop("is"))).validate_python(asked))
        if held is not None:
            held.settled.set()
        grant = outcome.grant if isinstance(outcome, Done) else None
        return {"done": isinstance(outcome, Done), **(asdict(grant) if grant else {"outcome": str(outcome)})}


class Held:
    """The next write of one run waits here."""

    def __init__(self) -> None:
        self.waited_for, self.let, self.settled = threading.Event(), threading.Event(), threading.Event()

    def wait(self) -> None:
        self.waited_for.set()
        self.let.wait()

    def is_waited_for(self, writes: int = 1) -> bool:
        return self.waited_for.is_set()

    def is_settled(self) -> bool:
        return self.settled.is_set()

    def let_go(self) -> None:
        self.let.set()


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True

    def __init__(self, path: str, toy: Toy) -> None:
        super().__init__(path, _Session)
        self.toy = toy


class _Session(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        """Answer commands until the worker has gone; a dead one's last command is done all the same."""
        toy = self.server.toy  # type: ignore[attr-defined]  # typeshed knows only the base class
        try:
            for line in self.rfile:
                self.wfile.write(json.dumps(toy.perform_for_worker(json.loads(line))).encode() + b"\n")
        except (BrokenPipeError, ConnectionResetError):
            pass
