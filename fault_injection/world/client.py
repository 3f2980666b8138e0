"""The world as an experiment holds it: starts the process, sets its gates, reads its truth and ends it."""

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

import httpx
from pydantic import TypeAdapter

from keepfact.conformance.abilities import Outside
from keepfact.spec.vocabulary import CallId, RunId, Truth

from ..processes import is_alive, remove_group
from ..waiting import PATIENCE_SECONDS, NotReachedError, is_readable, wait_until
from .gates import GateKind, GateSetting
from .ledger import ENDED, Endpoint, Entry, Happened, LedgerReader, truth_of
from .script import Script

_SETTINGS = TypeAdapter(GateSetting)
_SCRIPTS: TypeAdapter[Script] = TypeAdapter(Script)


class World:
    """The servers outside, in a process that lives as long as this object is open and no longer than we do."""

    def __init__(self, ledger: Path | None = None) -> None:
        """`ledger` is a new file for the ledger of truth; without one it is kept for as long as the world stands."""
        self._directory = tempfile.TemporaryDirectory(prefix="keepfact-world-")
        self._errors = Path(self._directory.name, "errors")
        path = Path(self._directory.name, "ledger.ndjson") if ledger is None else ledger
        command = [sys.executable, "-m", "keepfact.fault_injection.world", "--ledger", str(path)]
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, process_group=0
            )
        try:
            self.url = self._ready()
        except BaseException:
            self._remove()
            raise
        # On this host and without encryption: to load certificates would only take time.
        self._control = httpx.Client(base_url=self.url, timeout=PATIENCE_SECONDS, trust_env=False, verify=False)
        self._ledger = LedgerReader(path)

    def outside(self, run: RunId) -> Outside:
        """The addresses to give to a run's worker: its own, so that even a request without a key tells its run."""
        address = f"{self.url}/for/{quote(run, safe='')}"
        return Outside(model_url=address, tool_url=address)

    def set_gate(
        self,
        endpoint: Endpoint,
        kind: GateKind,
        *,
        run: RunId | None = None,
        key: CallId | None = None,
        number: int | None = None,
    ) -> "SetGate":
        """Have the next request that fits taken by a gate; `number` counts the requests of its run, from 1."""
        setting = GateSetting(endpoint, kind, run, key, number)
        answer = self._control.post("/gates", content=_SETTINGS.dump_json(setting)).raise_for_status()
        return SetGate(self._control, setting, answer.json()["gate"])

    def set_script(self, run: RunId, script: Script) -> None:
        """Have the model speak by this script to one run."""
        self._control.put(f"/scripts/{quote(run, safe='')}", content=_SCRIPTS.dump_json(script)).raise_for_status()

    def truth(self, run: RunId) -> Truth:
        """What really happened to the run's calls so far."""
        return truth_of(self._ledger.entries(), run)

    def entries(self, run: RunId) -> tuple[Entry, ...]:
        """The lines of the ledger that are about the run."""
        return tuple(entry for entry in self._ledger.entries() if entry.belongs_to(run))

    def is_quiet(self, run: RunId) -> bool:
        """Each request of the run that has arrived has been answered, refused or cut."""
        fates = [entry.happened for entry in self.entries(run)]
        return fates.count(Happened.ARRIVED) == sum(fate in ENDED for fate in fates)

    def close(self) -> None:
        """End the process; nothing of it stays."""
        self._control.close()
        self._remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def complaints(self) -> str:
        """What its process has said of troubles so far; nothing as long as all is well."""
        return self._errors.read_text()

    def _ready(self) -> str:
        assert self._process.stdout is not None
        answer = self._process.stdout
        wait_until(lambda: is_readable(answer), "the world says that it is ready")
        line = answer.readline()
        if not line:
            self._process.wait(PATIENCE_SECONDS)
            raise NotReachedError(
                f"expected the world to start, but it ended with status {self._process.returncode}: "
                f"{self.complaints[-2000:]}"
            )
        url: str = json.loads(line)["url"]
        return url

    def _remove(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            wait_until(lambda: not is_alive(self._process), "the world ends when its input closes", patience_seconds=5)
        finally:
            remove_group(self._process)
            self._directory.cleanup()


@dataclass(frozen=True, slots=True)
class SetGate:
    """A gate that was set in the world."""

    control: httpx.Client
    setting: GateSetting
    number: int

    def is_reached(self) -> bool:
        """A request stands at the gate, or was cut or failed there."""
        reached: bool = self.control.get(f"/gates/{self.number}").raise_for_status().json()["reached"]
        return reached

    def wait_until_reached(self) -> None:
        wait_until(self.is_reached, f"a request reaches the gate {self.setting}")

    def open(self) -> None:
        """Let the request that stands at the gate go on."""
        self.control.post(f"/gates/{self.number}/open").raise_for_status()
