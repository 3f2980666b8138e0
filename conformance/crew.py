"""Work on the model shared out among processes, as many as there are cores."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def shared_out(work: Callable[[T], R], things: Iterable[T], jobs: int | None = None) -> Iterator[R]:
    """What comes of each thing, in the order in which it is done; `work` must be a function at the top of a module.

    A process that dies ends all with an error: a part that nobody did must not look like one that was.
    """
    forking = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs or os.cpu_count() or 1, mp_context=forking, initializer=_leave_signals) as crew:
        waiting: set[Future[R]] = {crew.submit(work, thing) for thing in things}
        try:
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for one in done:
                    yield one.result()
        finally:
            for one in waiting:
                one.cancel()


def _leave_signals() -> None:
    """Ctrl-C reaches the whole group; the parent decides what ends when."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
