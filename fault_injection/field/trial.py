"""One run in the field, from its submission to its end, with whatever an experiment does to its workers."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from keepfact.conformance.abilities import Process
from keepfact.conformance.field import OVER, Standing

from ..processes import continue_group, kill_group, stop_group
from ..waiting import NotReachedError
from ..world.client import SetGate
from ..world.gates import GateKind
from ..world.ledger import Endpoint
from .facts import Facts, Story
from .stage import Setting

GOING_ON_SECONDS = 60.0
"""How long a run may take from one stop to the next; nothing is judged by how long it took."""

WATCHED_SECONDS = 4.0
"""How long it is watched that something does not happen; the report says so."""

UPGRADED_SECONDS = 10.0
"""How long the new release alone may take to go on with a run that waited, before the old one comes back."""

REPLACED_AFTER_SECONDS = 5.0
"""How long after a worker was frozen the next one comes: what is handed to the frozen one meanwhile is part of it."""

PAUSE_SECONDS = 0.05


Deed = Callable[["Trial"], tuple[str, Facts]]
"""Does something to one run; the proof of the fault, and the facts. Raises NotReachedError."""


@dataclass
class Trial:
    """Does things to one run, and notes each of them.

    `struck_another`: the commit that was struck is not the one that was meant.
    """

    setting: Setting
    story: Story = field(default_factory=Story)
    killed_at: float | None = None
    struck_another: bool = False
    _approved: object = None
    _workers: int = 0

    def gate(self, endpoint: Endpoint, kind: GateKind, number: int) -> SetGate:
        """Have a request of the run, by its number, taken by a gate."""
        return self.setting.world.set_gate(endpoint, kind, run=self.setting.run, number=number)

    def worker(self, release: int = 1) -> Process:
        """Start one more."""
        self._workers += 1
        name = f"worker-{self._workers}"
        process = self.setting.engine.start_worker(release, name)
        self.note(f"{name} of release {release} is there, process {process.pid}")
        return process

    def submit(self) -> None:
        self.setting.engine.submit(self.setting.run)
        self.note(f"{self.setting.run} is submitted")

    def kill(self, worker: Process) -> str:
        """SIGKILL it, and all it started; the proof."""
        proof = kill_group(worker).proof
        self.killed_at = time.time()
        self.note(proof)
        return proof

    def stop(self, worker: Process) -> str:
        """SIGSTOP it, from outside, and wait until it stands; the proof."""
        proof = stop_group(worker)
        self.note(proof)
        return proof

    def wake(self, worker: Process) -> str:
        """SIGCONT it; the proof that it had slept until now."""
        proof = continue_group(worker)
        self.note(proof)
        return proof

    def status(self) -> Standing:
        return self.setting.engine.status(self.setting.run)

    def go_on_until(self, fact: Callable[[Standing], bool], what: str, seconds: float = GOING_ON_SECONDS) -> Standing:
        """Look until it is so. Raises NotReachedError."""
        standing = self.watch(fact, seconds)
        if not fact(standing):
            raise NotReachedError(
                f"expected within {seconds:g} s that {what}, but the engine says {standing.native or standing.state} "
                f"{standing.error[:300]}"
            )
        return standing

    def watch(self, fact: Callable[[Standing], bool], seconds: float) -> Standing:
        """Look until it is so, or time is up; what was seen last."""
        give_up_at = time.monotonic() + seconds
        while not fact(standing := self.status()) and time.monotonic() < give_up_at:
            self.setting.stage.go_on()
            time.sleep(PAUSE_SECONDS)
        self.note(f"the engine says {standing.native or standing.state}, recorded {standing.recorded_cents} cents")
        return standing

    def approve(self) -> None:
        self.setting.engine.approve(self.setting.run)
        self.note("it is approved")

    def cancel(self) -> float:
        """Ask that it be cancelled; the wall time at which the engine had taken that."""
        self.setting.engine.cancel(self.setting.run)
        self.note("it is asked to cancel the run, and has taken that")
        return time.time()

    def approved_if_asked(self, standing: Standing) -> bool:
        """Say yes if it waits for that, and was not told yet. Always true."""
        if standing.state == "waiting" and self._is_new(standing):
            self._approved = standing.shown or True
            self.approve()
        return True

    def to_the_end(self, seconds: float = GOING_ON_SECONDS) -> Standing:
        """Approve what is asked for, each time that it is asked anew, until the run has ended or time is up."""
        give_up_at = time.monotonic() + seconds
        while time.monotonic() < give_up_at:
            standing = self.watch(self._has_moved, max(0.0, give_up_at - time.monotonic()))
            if standing.state != "waiting":
                return standing
            self.approved_if_asked(standing)
        return self.status()

    def facts(self, last: Standing, **more: object) -> Facts:
        """What is known now. Lines of the ledger are complete: the engine has been asked after the last of them."""
        entries = self.setting.world.entries(self.setting.run)
        return Facts(entries, last, killed_at=self.killed_at, **more)  # type: ignore[arg-type]  # as Facts names them

    def note(self, says: str) -> None:
        self.story.note(time.time(), says)

    def _has_moved(self, standing: Standing) -> bool:
        return standing.state in OVER or (standing.state == "waiting" and self._is_new(standing))

    def _is_new(self, standing: Standing) -> bool:
        return self._approved is None or (standing.shown is not None and self._approved not in (True, standing.shown))
