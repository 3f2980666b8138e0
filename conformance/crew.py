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
    spawning = multiprocessing.get_context("spawn")
    crew = ProcessPoolExecutor(jobs or os.cpu_count() or 1, mp_context=spawning, initializer=_leave_signals)
    try:
        waiting: set[Future[R]] = {crew.submit(work, thing) for thing in things}
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for one in done:
                yield one.result()
    except BaseException:
        # Nobody waits for the rest any more, and what is under way may take long.
        for process in (crew._processes or {}).values():
            process.kill()
        raise
    finally:
        crew.shutdown(cancel_futures=True)


def _leave_signals() -> None:
    """Ctrl-C reaches the whole group; the parent decides what ends when."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
