"""An engine as the kit holds it: starts its processes, asks its control, and ends all of it by process group."""

import json
import os
import subprocess
import tomllib
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from pydantic import ValidationError

from keepfact.conformance.abilities import Process
from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.field import About, Standing
from keepfact.spec.vocabulary import RunId

from ..processes import remove_group
from ..waiting import NotReachedError, is_readable, wait_until
from .environment import REQUIREMENTS, Tell, home_of, is_made, python_of

CELLS = Path(__file__).parent / "cells"
SHARED = CELLS / "shared"
ABOUT = "about.toml"
OF_OURS = ("KEEPFACT_", "PYTHON")
"""Variables that begin so are not handed on: a cell sees only what it is given."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A folder with about.toml, worker.py and control.py; a server.py if the engine has a server of its own."""

    folder: Path
    about: About
    given: str = ""
    """How it was named on the command line; by its name alone if it was not."""

    @property
    def scripts(self) -> Path:
        """The folder with its programs: another cell's if it is the same engine in another mode."""
        return self.folder.parent / self.about.based_on if self.about.based_on else self.folder

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def is_made(self) -> bool:
        return is_made(self.scripts)

    def python(self, tell: Tell) -> Path:
        return python_of(self.scripts, tell)

    def home(self, tell: Tell) -> Path:
        """Where its environment is; its own folder if it needs none."""
        return home_of(self.scripts, tell) if self.has_environment else self.folder

    @property
    def has_environment(self) -> bool:
        """It has a Python of its own; one that pins nothing runs with ours."""
        return (self.scripts / REQUIREMENTS).exists()

    def versions(self, tell: Tell) -> dict[str, str]:
        """Those of the engine's packages, as its own Python says them."""
        names = json.dumps(list(self.about.packages))
        code = f"import json, importlib.metadata as m; print(json.dumps({{n: m.version(n) for n in {names}}}))"
        done = subprocess.run([self.python(tell), "-c", code], capture_output=True, text=True, env=_own_environment())
        if done.returncode:
            raise KeepfactError(f"expected the versions of {names} in the cell {self.name}, but: {done.stderr[-500:]}")
        versions: dict[str, str] = json.loads(done.stdout)
        return versions


def find_cells() -> dict[str, Cell]:
    """The cells that come with the kit, by name."""
    return {path.parent.name: read_cell(path.parent) for path in sorted(CELLS.glob(f"*/{ABOUT}"))}


def read_cell(folder: Path, given: str = "") -> Cell:
    """A cell in a folder. Raises KeepfactError if it is none."""
    try:
        about = About.model_validate(tomllib.loads((folder / ABOUT).read_text()))
    except (OSError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise KeepfactError(f"expected {folder / ABOUT} to say what docs/field.md lists, but: {error}") from error
    cell = Cell(folder.resolve(), about, given)
    missing = [name for name in ("worker.py", "control.py") if not (cell.scripts / name).is_file()]
    if missing:
        raise KeepfactError(
            f"expected a cell in {folder}, but there is no {', '.join(missing)}. docs/field.md says what goes in there."
        )
    return cell


@dataclass
class Running:
    """An Engine: its cell, with a database and a world of its own, for one trial."""

    cell: Cell
    environment: Mapping[str, str]
    worker_environment: Mapping[str, str]
    log: Path
    tell: Tell
    _ended: ExitStack = field(default_factory=ExitStack)
    _control: "subprocess.Popen[bytes] | None" = None
    _given: dict[str, str] = field(default_factory=dict)

    @property
    def about(self) -> About:
        return self.cell.about

    def open(self) -> None:
        """Start the engine's server, if it has one, and its control, and have it set up what it needs."""
        if (self.cell.scripts / "server.py").exists():
            self._given |= self._start("server.py", self.environment)[1].get("environment", {})
        self._control = self._start("control.py", self.environment, is_leashed=False)[0]
        self._given |= self._ask("setup").get("environment", {})

    def start_worker(self, release: int, name: str) -> Process:
        own = {"KEEPFACT_FIELD_RELEASE": str(release), "KEEPFACT_FIELD_WORKER": name}
        return self._start("worker.py", {**self.worker_environment, **own})[0]

    def submit(self, run: RunId) -> None:
        self._ask("submit", run)

    def status(self, run: RunId) -> Standing:
        answer = self._ask("status", run)
        if "state" not in answer:
            raise KeepfactError(
                f"expected {self.cell.name} to say how {run} stands, but: {answer.get('error', answer)}"
            )
        try:
            return Standing.model_validate(answer)
        except ValidationError as error:
            raise KeepfactError(f"expected a standing from the control of {self.cell.name}, but: {error}") from error

    def approve(self, run: RunId) -> None:
        self._ask("approve", run)

    def cancel(self, run: RunId) -> None:
        self._ask("cancel", run)

    def close(self) -> None:
        """End every process that was started here, with all it has started itself; what was set up is taken down."""
        with suppress(KeepfactError, NotReachedError):
            self._ask("takedown")
        self._ended.close()

    def _ask(self, what: str, run: str = "") -> dict[str, Any]:
        """One line to the control, and its answer. Raises KeepfactError."""
        if self._control is None or self._control.poll() is not None:
            raise KeepfactError(f"expected the control of {self.cell.name} to run, but it ended: {self._end_of_log()}")
        assert self._control.stdin is not None
        assert self._control.stdout is not None
        try:
            self._control.stdin.write(json.dumps({"do": what, "run": run}).encode() + b"\n")
        except BrokenPipeError:
            raise KeepfactError(f"the control of {self.cell.name} ended: {self._end_of_log()}") from None
        answer: dict[str, Any] = _line(self._control.stdout, f"{self.cell.name} answers {what}", 60)
        if why := (answer or {}).get("error") if what != "status" else None:
            raise KeepfactError(f"expected {self.cell.name} to {what}, but: {why}")
        return answer

    def _start(
        self, script: str, environment: Mapping[str, str], *, is_leashed: bool = True
    ) -> "tuple[subprocess.Popen[bytes], dict[str, Any]]":
        leash = [str(SHARED / "leash.py")] if is_leashed else []
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                [str(self.cell.python(self.tell)), *leash, str(self.cell.scripts / script)],
                cwd=self.log.parent,
                env={
                    **_own_environment(),
                    **self.about.environment,
                    **environment,
                    **self._given,
                    **self._places(),
                },
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                bufsize=0,  # so that what can be read is not hidden in a buffer of ours
                process_group=0,
            )
        self._ended.callback(_remove, process)
        assert process.stdout is not None
        try:
            said = _line(process.stdout, f"{script} of {self.cell.name} is ready", self.about.start_seconds_max)
        except NotReachedError as error:
            raise NotReachedError(f"{error} Its log ends: {self._end_of_log()}") from error
        return process, said

    def _places(self) -> dict[str, str]:
        """Where modules are found: what cells share, and ours only for a cell that runs with our own Python."""
        ours = [] if self.cell.has_environment else [os.environ.get("PYTHONPATH", "")]
        path = os.pathsep.join(filter(None, [str(SHARED), *ours]))
        return {"PYTHONPATH": path, "KEEPFACT_FIELD_HOME": str(self.cell.home(self.tell))}

    def _end_of_log(self) -> str:
        return self.log.read_text(errors="replace")[-1500:]


def _remove(process: Process) -> None:
    """A process that has been killed and reaped before has nothing left."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            remove_group(process)


def _own_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(OF_OURS)}


def _line(source: IO[bytes], what: str, patience_seconds: float) -> Any:
    """The next line that is JSON; others an engine may have printed. Raises NotReachedError."""
    while True:
        wait_until(lambda: is_readable(source), what, patience_seconds)
        line = source.readline()
        if not line:
            raise NotReachedError(f"expected that {what}, but its process ended without saying so.")
        with suppress(json.JSONDecodeError):
            return json.loads(line)
