"""Workers that race for a run: they stand ready, are let go at once, and one of them is granted it."""

from collections.abc import Sequence

from keepfact.spec.vocabulary import EntryPoint

from .trial import Trial
from .worker import Worker


def stand_ready(trial: Trial, amount: int) -> list[Worker]:
    """So many more workers, each at its first seam."""
    racers = [trial.hire() for _ in range(amount)]
    for racer in racers:
        trial.turn_to(racer)
        racer.accept()
        trial.next_seam()
    return racers


def let_go(trial: Trial, racers: Sequence[Worker], lane: str = "worker") -> str:
    """All at once; the proof."""
    stood = dict.fromkeys(racer.seams[-1] for racer in racers)
    for racer in racers:
        racer.go()
    trial.timeline.mark(lane, "kill", f"{len(racers)} are let go at once")
    pids = ", ".join(str(racer.process.pid) for racer in racers)
    return f"processes {pids} stood at {', '.join(stood)}, and were let go at once"


def one_is_granted(trial: Trial, racers: Sequence[Worker]) -> None:
    """One of them takes the wake up and works to the end; the others go without a trace (WAKE.5)."""
    arrived = [racer for racer in racers if racer.next_seam() is not None]
    trial.observe_work(EntryPoint.WAKE)
    trial.expect("WAKE.5", len(arrived) == 1, "one worker is granted the run", f"{len(arrived)} went on")
    for racer in racers:
        trial.turn_to(racer)
        if racer in arrived:
            trial.go()
            trial.finish()
        else:
            trial.wait_for_exit()
