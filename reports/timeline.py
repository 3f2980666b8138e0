"""A trace as a picture: one lane an actor, one column a mark, in the order things happened.

Columns are evenly wide, because what matters is the order: a wait of a minute takes no more room than a millisecond.
The time stands under each column. Lengths are in pixels of the drawing.
"""

from dataclasses import dataclass

from keepfact.conformance.evidence import MarkRecord

from .summary import Trace

LANES = ("worker", "database", "model", "tool", "recovery")
MARKS_MAX = 80

_LEFT, _TOP, _COLUMN, _LANE, _BOTTOM = 104, 26, 62, 56, 30
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
class Timeline:
    """Everything the template draws. `left_out` marks did not fit; they stand in the evidence."""

    name: str
    width: int
    height: int
    left: int
    lanes: tuple[Lane, ...]
    marks: tuple[Mark, ...]
    arrows: tuple[Arrow, ...]
    kills: tuple[int, ...]
    left_out: int


def timeline(trace: Trace) -> Timeline:
    """Lay a trace out."""
    records = trace.marks[:MARKS_MAX]
    used = {record.lane for record in trace.marks}
    lanes = [lane for lane in LANES if lane in used] + sorted(used.difference(LANES))[:5]
    rows = {lane: _TOP + _LANE // 2 + place * _LANE for place, lane in enumerate(lanes)}
    marks = tuple(_mark(number, record, rows) for number, record in enumerate(records, 1) if record.lane in rows)
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
        left_out=len(trace.marks) - len(marks),
    )


def telling(traces: list[Trace], number: int) -> list[Trace]:
    """The traces worth a picture: those that show the most kinds of marks, and none that would look like another."""
    ranked = sorted(traces, key=lambda trace: (-len({mark.shape for mark in trace.marks}), -len(trace.marks)))
    looks = {tuple((mark.lane, mark.shape) for mark in trace.marks): trace for trace in reversed(ranked)}
    return list(reversed(looks.values()))[:number]


def _mark(number: int, record: MarkRecord, rows: dict[str, int]) -> Mark:
    return Mark(
        number=number,
        x=_LEFT + _COLUMN * (number - 1) + _COLUMN // 2,
        y=rows[record.lane],
        shape=record.shape if record.shape in _SHAPES else "other",
        word=record.shape,
        lane=record.lane,
        time=_time(record.at_ms),
        text=record.text,
    )


def _dead(marks: tuple[Mark, ...]) -> tuple[tuple[int, int], ...]:
    """From each kill to the next mark of a worker; to the end of the picture if there is none."""
    on_lane = [mark for mark in marks if mark.lane == "worker"]
    end = _LEFT + _COLUMN * len(marks)
    following = [*(mark.x for mark in on_lane), end][1:]
    return tuple((mark.x, until) for mark, until in zip(on_lane, following, strict=True) if mark.shape == "kill")


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
