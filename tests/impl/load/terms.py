"""What a load is, and what came of one."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Load:
    """How much, and how hard: a process is killed whenever so many events have been written since the last, and the
    database when that share of the runs is through.
    """

    runs: int = 500
    workers: int = 8
    recoveries: int = 2
    gateways: int = 1
    """One, or none: then the store is asked directly."""
    seed: int = 1
    events_per_kill: tuple[int, int] = (10, 50)
    database_kills: tuple[float, ...] = (0.2, 0.5, 0.8)
    pace_seconds: float = 0.02
    looks_in_vain_max: int = 1_500
    """So often nothing new may be seen before the load is broken off. Looks are counted, not seconds, since a host can
    stop us too.
    """


@dataclass
class Result:
    """What was delivered, what came of it, and everything that is not as it must be."""

    kills: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    states: Counter[str] = field(default_factory=Counter)
    after_evidence: Counter[str] = field(default_factory=Counter)
    figures: dict[str, float] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)
