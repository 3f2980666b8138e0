"""The implementation with a program that looks at the clock of its host, which no program may: it is no pure function.

Nothing in the SQL is wrong, and lockstep has no workers: only an experiment that makes clocks wrong shows it.
"""

import time

from keepfact.impl.programs.decisions import FIRST_BUNDLE, Decision, Fail, Progress
from keepfact.impl.release import Bundle, Release

from . import rollouts
from .system import Postgres

HOURS_MAX = 1
_begun_at: list[float] = []


def decide(progress: Progress) -> Decision:
    """As the probe, but it gives up when it has been at work for long, by what the host says."""
    _begun_at.append(time.time())
    if time.time() - _begun_at[0] > HOURS_MAX * 3600:
        return Fail("it took too long")
    return rollouts.decide(progress)


FIRST = Release({FIRST_BUNDLE: Bundle(decide)})


class Impatient(Postgres):
    """The implementation with workers of this release."""

    name = "impatient"
    releases = __name__
