"""Worker processes that are started once and then work in turns, so that only working is timed."""

import multiprocessing
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from multiprocessing.connection import Connection
from typing import Any

Work = Callable[[int], None]
Open = Callable[[Any], AbstractContextManager[Work]]
"""Opens a worker at a place: what it gives does so many steps."""

PATIENCE_SECONDS = 300
WARMING_STEPS = 20


class Team:
    """So many processes, each with a worker of its own; ready when created."""

    def __init__(self, open_worker: Open, place: object, size: int) -> None:
        """`place` is what the workers are told of where to work; it goes through a pipe."""
        context = multiprocessing.get_context("spawn")
        self._ends = [context.Pipe() for _ in range(size)]
        self._processes = [
            context.Process(target=_serve, args=(open_worker, place, theirs), daemon=True) for _, theirs in self._ends
        ]
        for process in self._processes:
            process.start()
        self.seconds(size, WARMING_STEPS)

    def seconds(self, workers: int, steps: int) -> float:
        """How long the first so many workers take, at once, for so many steps each."""
        ours = [end for end, _ in self._ends[:workers]]
        started = time.perf_counter()
        for end in ours:
            end.send(steps)
        for end in ours:
            if not end.poll(PATIENCE_SECONDS):
                raise AssertionError(f"expected a worker to do {steps} steps, but it did not within the patience")
            if (said := end.recv()) is not None:
                raise AssertionError(f"expected a worker to do {steps} steps, but {said}")
        return time.perf_counter() - started

    def close(self) -> None:
        """Let all go home."""
        for end, _ in self._ends:
            end.close()
        for _, theirs in self._ends:
            theirs.close()
        for process in self._processes:
            process.join(10)


def _serve(open_worker: Open, place: object, asked: Connection) -> None:
    with ExitStack() as cleanup:
        work = cleanup.enter_context(open_worker(place))
        while True:
            try:
                steps = asked.recv()
            except EOFError:
                return
            try:
                work(steps)
            except Exception as error:
                asked.send(f"{type(error).__name__}: {error}")
            else:
                asked.send(None)
