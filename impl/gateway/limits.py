"""How much one token, and all together, may ask of this process."""

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .problems import Problem, unavailable


class Rate:
    """A bucket for each token: so many requests a second on average, so many at once."""

    def __init__(self, per_second: float, burst: int, now: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._burst = burst
        self._now = now
        self._buckets: dict[str, tuple[float, float]] = {}
        """What is left of each token's bucket, and when that was so."""

    def take(self, token: str) -> None:
        """Count one request. Raises a Problem, if it is one too many."""
        now = self._now()
        left, since = self._buckets.get(token, (float(self._burst), now))
        left = min(self._burst, left + (now - since) * self._per_second)
        self._buckets[token] = (left - 1, now) if left >= 1 else (left, now)
        if left < 1:
            wait_seconds = math.ceil((1 - left) / self._per_second)
            raise too_many(f"{self._per_second:g} requests a second", wait_seconds)


class Streams:
    """So many streams may be open at once: for each token, and in all."""

    def __init__(self, per_token_max: int, in_all_max: int) -> None:
        self._per_token_max = per_token_max
        self._in_all_max = in_all_max
        self._open: Counter[str] = Counter()

    @contextmanager
    def slot(self, token: str) -> Iterator[None]:
        """A place for one more. Raises a Problem, if there is none."""
        if self._open[token] >= self._per_token_max:
            raise too_many(f"{self._per_token_max} open streams", 5)
        if self._open.total() >= self._in_all_max:
            raise unavailable("a place for one more stream", "there is none", 5)
        self._open[token] += 1
        try:
            yield
        finally:
            self._open[token] -= 1
            self._open += Counter()  # forgets tokens without streams


def too_many(at_most: str, retry_after_seconds: int) -> Problem:
    """Of what this token may ask for, this is one too many."""
    return Problem(
        429, "too_many_requests",
        expected=f"at most {at_most} for each token",
        seen="there are more",
        next_step="Wait as long as Retry-After says, and ask again.",
        headers={"retry-after": str(retry_after_seconds)},
    )  # fmt: skip
