"""A trace as a picture: one lane an actor, one column a mark, in the order things happened.

Columns are evenly wide, because what matters is the order: a wait of a minute takes no more room than a millisecond.
The time stands under each column. Lengths are in pixels of the drawing. Grants and waits are bars on a lane of their
own, as the history says them: a lease goes on while its worker is dead, and that is the point.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from keepfact.conformance.evidence import MarkRecord

from .languages import Language, language
from .plain import in_plain_words
from .summary import Trace

LANES = ("client", "worker", "lease", "database", "model", "tool", "recovery")
MARKS_MAX = 80

_LEFT, _TOP, _COLUMN, _LANE, _BOTTOM = 96, 26, 52, 56, 30
_SHAPES = {"seam", "request", "answer", "kill", "commit", "refused", "recovery", "evidence", "end"}
_CROSSES_LANES = {"request": True, "answer": False}
"""Between the worker and another lane: a request leaves the worker, an answer comes to it."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark: where it stands, what shape it has, and what is told about it in the list beside the picture."""

    number: int
    x: int
    y: int
    shape: str
    word: str
    lane: str
    time: str
    text: str
    is_ours: bool


@dataclass(frozen=True, slots=True)
class Lane:
    """One lane: solid from `x` to `x_end`; `gaps` are the stretches in which its process was dead."""

    name: str
    y: int
    gaps: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Arrow:
    """A request or an answer between two lanes."""

    x: int
    y_from: int
    y_to: int


@dataclass(frozen=True, slots=True)
class Bar:
    """From one mark to another the run was granted under this fence; or it waited, and `fence` is None.

    At `x_lapsed` at the latest the lease was over, as a write was refused for that.
    """

    x: int
    x_end: int
    fence: int | None
    x_lapsed: int | None = None


@dataclass(frozen=True, slots=True)
class Timeline:
    """Everything the template draws.

    `left_out` marks did not fit; `passed` seams are not drawn, as nothing struck there. All stand in the evidence.
    """

    name: str
    width: int
    height: int
    left: int
    lanes: tuple[Lane, ...]
    marks: tuple[Mark, ...]
    arrows: tuple[Arrow, ...]
    kills: tuple[int, ...]
    bars: tuple[Bar, ...]
    bars_y: int
    left_out: int
    passed: int


def timeline(trace: Trace, said_in: Language | None = None) -> Timeline:
    """Lay a trace out, told in English unless in another language."""
    said_in = said_in or language("en")
    worth = tuple(_worth_drawing(trace.marks))
    records = worth[:MARKS_MAX]
    bars = tuple(_bars(records))
    used = {record.lane for record in trace.marks} | ({"lease"} if bars else set())
    lanes = [lane for lane in LANES if lane in used] + sorted(used.difference(LANES))[:5]
    rows = {lane: _TOP + _LANE // 2 + place * _LANE for place, lane in enumerate(lanes)}
    marks = tuple(
        _mark(number, record, rows, said_in) for number, record in enumerate(records, 1) if record.lane in rows
    )
    gaps = _dead(marks)
    return Timeline(
        name=trace.name,
        width=_LEFT + _COLUMN * len(records) + 12,
        height=_TOP + _LANE * len(rows) + _BOTTOM,
        left=_LEFT,
        lanes=tuple(Lane(lane, y, gaps if lane == "worker" else ()) for lane, y in rows.items()),
        marks=marks,
        arrows=tuple(arrow for mark in marks if (arrow := _arrow(mark, rows.get("worker"), gaps))),
        kills=tuple(mark.x for mark in marks if mark.shape == "kill"),
        bars=bars,
        bars_y=rows.get("lease", 0),
        left_out=len(worth) - len(marks),
        passed=len(trace.marks) - len(worth),
    )


def _worth_drawing(marks: tuple[MarkRecord, ...]) -> Iterator[MarkRecord]:
    """Where the history tells what a worker did, its seams are left out, but for those at which a fault struck and the
    first of a worker after another died.
    """
    is_told = any(_event(mark) for mark in marks)
    is_dead = False
    for mark, after in zip(marks, (*marks[1:], None), strict=True):
        is_struck = after is not None and after.shape == "kill"
        if not is_told or mark.shape != "seam" or is_struck or is_dead:
            yield mark
        if mark.lane == "worker":
            is_dead = _is_death(mark.shape, mark.text)


def _bars(marks: tuple[MarkRecord, ...]) -> Iterator[Bar]:
    """Each grant and each wait, until the event that ends it; to the end of the picture if none does."""
    bar: Bar | None = None
    fence = 0
    for number, mark in enumerate(marks):
        event = _event(mark)
        if bar and bar.fence and not bar.x_lapsed and "lease_lapsed" in mark.text:
            bar = replace(bar, x_lapsed=_x(number) - _COLUMN // 2)
        if event not in _BEGINS | _ENDS:
            continue
        if bar:
            yield replace(bar, x_end=_x(number))
        fence += event == "granted"
        end = _LEFT + _COLUMN * len(marks)
        bar = None if event in _ENDS else Bar(_x(number), end, fence if event == "granted" else None)
    if bar:
        yield bar


_BEGINS = {"granted", "waited"}
_ENDS = {"released", "sealed", "ended"}


def _event(mark: MarkRecord) -> str | None:
    """The type of the event of the run's history that this mark stands for."""
    found = re.match(r"event \d+ by \w+: (\w+)", mark.text) if mark.lane == "database" else None
    return found[1] if found else None


def _x(place: int) -> int:
    return _LEFT + _COLUMN * place + _COLUMN // 2


def telling(traces: list[Trace], number: int) -> list[Trace]:
    """The traces worth a picture: those that show the most kinds of marks, and none that would look like another."""
    ranked = sorted(traces, key=lambda trace: (-len({mark.shape for mark in trace.marks}), -len(trace.marks)))
    looks = {tuple((mark.lane, mark.shape) for mark in trace.marks): trace for trace in reversed(ranked)}
    return list(reversed(looks.values()))[:number]


def _mark(number: int, record: MarkRecord, rows: dict[str, int], said_in: Language) -> Mark:
    plain = in_plain_words(record, said_in)
    return Mark(
        number=number,
        x=_x(number - 1),
        y=rows[record.lane],
        shape=record.shape if record.shape in _SHAPES else "other",
        word=plain.short,
        lane=record.lane,
        time=_time(record.at_ms),
        text=plain.long,
        is_ours=plain.is_ours,
    )


def _dead(marks: tuple[Mark, ...]) -> tuple[tuple[int, int], ...]:
    """From each kill to the next mark of a worker; to the end of the picture if there is none."""
    on_lane = [mark for mark in marks if mark.lane == "worker"]
    end = _LEFT + _COLUMN * len(marks)
    following = [*(mark.x for mark in on_lane), end][1:]
    return tuple(
        (mark.x, until) for mark, until in zip(on_lane, following, strict=True) if _is_death(mark.shape, mark.text)
    )


def _is_death(shape: str, text: str) -> bool:
    """Whether this fault left the worker dead or asleep. Clocks that are off and starters of races do not."""
    return shape == "kill" and not re.search("clock|let go at once|时钟", text)


def _arrow(mark: Mark, worker_y: int | None, gaps: tuple[tuple[int, int], ...]) -> Arrow | None:
    """An answer to a worker that is dead by then reaches nobody, so no arrow is drawn."""
    leaves_worker = _CROSSES_LANES.get(mark.shape)
    if leaves_worker is None or worker_y is None or mark.y == worker_y:
        return None
    if any(start < mark.x < end for start, end in gaps):
        return None
    return Arrow(mark.x, worker_y, mark.y) if leaves_worker else Arrow(mark.x, mark.y, worker_y)


def _time(at_ms: int) -> str:
    return f"{at_ms} ms" if abs(at_ms) < 10_000 else f"{at_ms / 1000:,.1f} s"
