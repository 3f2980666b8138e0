"""Where the boxes and arrows of a layered graph stand: from left to right, each line and label with a place of its own.

Columns are given. An arrow over several columns passes each of those between in a lane of its own, as if a thin box
stood there. Every arrow leaves and reaches a box in a port of its own, and has its label right beside the box that it
leaves, before any line bends. So no label can meet another, and no line crosses a label.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .ordering import Item, Port, arranged

_BEND_MIN, _BEND_MAX = 64, 150


@dataclass(frozen=True)
class Box:
    """What is to be placed: a box of at least this height, in this column."""

    name: Hashable
    column: int
    height: float


@dataclass(frozen=True)
class Arrow:
    """What is to be drawn from one box to another, with the room that its label needs."""

    source: Hashable
    target: Hashable
    label_width: float
    label_height: float


@dataclass(frozen=True)
class Route:
    """Points of one arrow. Between the first two of each pair it runs straight, between pairs it bends.

    `label_x` is the left end of the label, whose foot is just above the first point.
    """

    points: tuple[tuple[float, float], ...]
    label_x: float
    label_y: float


@dataclass(frozen=True)
class Placed:
    """The upper left corner and the height of each box, the route of each arrow in the order given, and the size."""

    boxes: Mapping[Hashable, tuple[float, float, float]]
    routes: tuple[Route, ...]
    width: float
    height: float


@dataclass(frozen=True)
class _Hop:
    """A piece of an arrow from one column to the next, or back to the same."""

    start: Port
    end: Port


def placed(boxes: Iterable[Box], arrows: Sequence[Arrow], box_width: float) -> Placed:
    """Place everything; the same input gives the same picture."""
    items = {box.name: Item(box.column, is_box=True, height=box.height) for box in boxes}
    columns: list[list[Item]] = [[] for _ in range(1 + max(item.column for item in items.values()))]
    for item in items.values():
        columns[item.column].append(item)
    ways = [_way(number, arrow, items, columns) for number, arrow in enumerate(arrows)]
    arranged(columns)
    xs, gaps, width = _across(columns, ways, box_width)
    top = min(item.centre - item.height / 2 for column in columns for item in column)
    bottom = max(item.centre + item.height / 2 for column in columns for item in column)
    corners = {
        name: (xs[item.column], item.centre - item.height / 2 - top, item.height) for name, item in items.items()
    }
    routes = tuple(_route(way, xs, gaps, box_width, top) for way in ways)
    return Placed(corners, routes, width, bottom - top)


def _way(number: int, arrow: Arrow, items: dict[Hashable, Item], columns: list[list[Item]]) -> list[_Hop]:
    """The hops of an arrow, with a passing item in each column between its ends."""
    source, target = items[arrow.source], items[arrow.target]
    step = 1 if target.column > source.column else -1
    between = [Item(column, is_box=False) for column in range(source.column, target.column, step)]
    for item in between[1:]:
        columns[item.column].append(item)
    hops = []
    for before, after in pairwise([source, *between[1:], target]):
        is_first = before is source
        start = Port(before, after, arrow.label_height * is_first, arrow.label_width * is_first, number)
        end = Port(after, before, 0, 0, number)
        (before.left if after.column < before.column else before.right).append(start)
        (after.left if before.column < after.column else after.right).append(end)
        hops.append(_Hop(start, end))
    return hops


@dataclass(frozen=True)
class _Gap:
    """The room right of a column: labels of what leaves it, bends, labels of what goes back from the next one."""

    bend_from: float
    bend_to: float


def _across(
    columns: list[list[Item]], ways: list[list[_Hop]], box_width: float
) -> tuple[list[float], list[_Gap], float]:
    """The left edge of each column, the gap right of it, and the width of all."""
    xs, gaps, x = list[float](), list[_Gap](), 0.0
    for number, column in enumerate(columns):
        xs.append(x)
        ports = [port for item in column for port in item.right]
        if number + 1 == len(columns) and not ports:
            return xs, gaps, x + box_width
        after = columns[number + 1] if number + 1 < len(columns) else []
        leaving = max((port.label_width for port in ports), default=0) + 24
        back = max((port.label_width for item in after for port in item.left), default=0) + 24
        drop = max((abs(hop.end.y - hop.start.y) for way in ways for hop in way if _is_in(hop, number)), default=0)
        bend = min(_BEND_MAX, _BEND_MIN + drop / 6)
        gaps.append(_Gap(x + box_width + leaving, x + box_width + leaving + bend))
        x += box_width + leaving + bend + back
    return xs, gaps, x


def _is_in(hop: _Hop, gap: int) -> bool:
    return min(hop.start.item.column, hop.end.item.column) == gap


def _route(way: list[_Hop], xs: list[float], gaps: list[_Gap], box_width: float, top: float) -> Route:
    points = list[tuple[float, float]]()
    for hop in way:
        start, end = hop.start, hop.end
        first, last = start.item.column, end.item.column
        gap = gaps[min(first, last)]
        is_back, is_same = last < first, last == first
        points += [
            (xs[first] if is_back else xs[first] + box_width, start.y - top),
            (gap.bend_to if is_back else gap.bend_from, start.y - top),
            (gap.bend_from if is_back or is_same else gap.bend_to, end.y - top),
            (xs[last] + box_width if is_back or is_same else xs[last], end.y - top),
        ]
    first_port = way[0].start
    leaves_left = way[0].end.item.column < first_port.item.column
    label_x = points[0][0] - 10 - first_port.label_width if leaves_left else points[0][0] + 10
    return Route(tuple(points), label_x, points[0][1] - 4)
