"""Who may write what, by the authority table of the book, and who did, by the write-ahead log and the histories."""

import re
from collections import Counter
from dataclasses import dataclass

from keepfact.spec.entry_points import MAY_WRITE
from keepfact.spec.vocabulary import EventType

from .summary import Summary


@dataclass(frozen=True, slots=True)
class Door:
    """One entry point. `seen` counts events in the histories that are drawn on timelines, `rows` what the log shows."""

    name: str
    may: tuple[str, ...]
    seen: dict[str, int]
    rows: dict[str, int]

    @property
    def not_allowed(self) -> tuple[str, ...]:
        """Types of events that were seen under this entry point and are not its to write."""
        return tuple(event for event in self.seen if event not in self.may)


@dataclass(frozen=True, slots=True)
class Authority:
    """Entry points as the table has them, then any other that signed; transactions of experiments whose log was read.

    `objections` say which transactions the table does not allow.
    """

    doors: tuple[Door, ...]
    transactions: int
    experiments: int
    objections: tuple[str, ...]


def authority(summary: Summary) -> Authority:
    """What all experiments show of it together."""
    logs = [found.written for found in summary.experiments if found.written and found.written.transactions]
    rows: dict[str, Counter[str]] = {}
    for log in logs:
        for door, done in log.rows.items():
            rows.setdefault(door, Counter()).update(done)
    seen = _seen(summary)
    may = {door.value: tuple(event.value for event in EventType if event in types) for door, types in MAY_WRITE.items()}
    return Authority(
        doors=tuple(
            Door(name, may.get(name, ()), dict(seen.get(name, {})), dict(rows.get(name, {})))
            for name in dict.fromkeys([*may, *rows, *seen])
        ),
        transactions=sum(log.transactions for log in logs),
        experiments=len(logs),
        objections=tuple(line for log in logs for line in log.objections),
    )


def _seen(summary: Summary) -> dict[str, Counter[str]]:
    """Events by entry point and type, as marks of the database have them."""
    seen: dict[str, Counter[str]] = {}
    for trace in summary.traces:
        for mark in trace.marks:
            found = re.match(r"event \d+ by (\w{1,40}): (\w{1,40})", mark.text) if mark.lane == "database" else None
            if found:
                seen.setdefault(found[1], Counter())[found[2]] += 1
    return seen
