"""In which order the boxes of a column stand, and how high: few crossings, short ways, room for every label."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

_LANE_HEIGHT = 16
_BARE_PORT_HEIGHT = 14
_BOX_GAP = 26
_LANE_GAP = 4
_SWEEPS = 12


@dataclass(eq=False)
class Item:
    """A box, or the place where an arrow passes a column."""

    column: int
    is_box: bool
    height: float = _LANE_HEIGHT
    centre: float = 0
    left: list["Port"] = field(default_factory=list)
    right: list["Port"] = field(default_factory=list)

    @property
    def ports(self) -> list["Port"]:
        return self.left + self.right


@dataclass(eq=False)
class Port:
    """Where an arrow meets an item. `place` orders the ports of a side: what bends back goes outside, and nests."""

    item: Item
    other: Item
    label_height: float
    label_width: float
    number: int
    y: float = 0

    @property
    def height(self) -> float:
        if not self.item.is_box:
            return _LANE_HEIGHT
        return self.label_height + 8 if self.label_height else _BARE_PORT_HEIGHT

    @property
    def place(self) -> tuple[int, float, int]:
        if self.other.column != self.item.column:
            return 0, self.other.centre, self.number
        is_down = self.other.centre > self.item.centre
        return (1, -self.other.centre, self.number) if is_down else (-1, -self.other.centre, -self.number)


def arranged(columns: list[list[Item]]) -> None:
    """Order the items of each column, and give each its height and place, and each of their ports a height of its own.

    The same input always gives the same picture.
    """
    _order(columns)
    _stack(columns)
    _settle_ports(columns)


def _order(columns: list[list[Item]]) -> None:
    """Order each column by where its neighbours stand, to and fro; then swap neighbours as long as it helps."""
    _number(columns)
    _swap_while_it_helps(columns)
    best, least = [list(column) for column in columns], _disorder(columns)
    for sweep in range(_SWEEPS):
        for column in columns if sweep % 2 == 0 else columns[::-1]:
            column.sort(key=lambda item: _mean_of_neighbours(item, forward=sweep % 2 == 0))
            _number([column])
        _swap_while_it_helps(columns)
        if (disorder := _disorder(columns)) < least:
            best, least = [list(column) for column in columns], disorder
    for column, ordered in zip(columns, best, strict=True):
        column[:] = ordered
    _number(columns)


def _swap_while_it_helps(columns: list[list[Item]]) -> None:
    least, before = _disorder(columns), None
    while least != before:
        before = least
        for column in columns:
            for number in range(len(column) - 1):
                column[number], column[number + 1] = column[number + 1], column[number]
                _number([column])
                if (disorder := _disorder(columns)) < least:
                    least = disorder
                    continue
                column[number], column[number + 1] = column[number + 1], column[number]
                _number([column])


def _number(columns: Iterable[list[Item]]) -> None:
    for column in columns:
        for number, item in enumerate(column):
            item.centre = (number + 0.5) / len(column)


def _mean_of_neighbours(item: Item, *, forward: bool) -> float:
    side = item.left if forward else item.right
    others = [port.other.centre for port in side if port.other.column != item.column]
    return sum(others) / len(others) if others else item.centre


def _disorder(columns: list[list[Item]]) -> float:
    """How often lines between neighbouring columns cross, and what arrows within a column enclose."""
    found = 0.0
    for column in columns:
        ports = [(item.centre, port) for item in column for port in item.right]
        lines = [(centre, port.other.centre) for centre, port in ports if _leads_on(port)]
        found += sum((a[0] - b[0]) * (a[1] - b[1]) < 0 for number, a in enumerate(lines) for b in lines[:number])
        for low, high in [(centre, port.other.centre) for centre, port in ports if not _leads_on(port)]:
            found += sum(low < line[0] < high for line in lines) + abs(high - low) * len(column) / 2
    return found


def _leads_on(port: Port) -> bool:
    return port.other.column > port.item.column


def _stack(columns: list[list[Item]]) -> None:
    """Give each item its height and, in the order of its column, a place as near to its neighbours as there is room."""
    for column in columns:
        for item in column:
            sides = [sum(port.height for port in side) for side in (item.left, item.right)]
            item.height = max(item.height, *sides) if item.is_box else _LANE_HEIGHT
        _spread(column, [0.0] * len(column))
    for sweep in range(_SWEEPS):
        for column in columns if sweep % 2 == 0 else columns[::-1]:
            _spread(column, [_wanted(item) for item in column])


def _wanted(item: Item) -> float:
    others = [port.other.centre for port in item.ports if port.other.column != item.column]
    others = others or [port.other.centre for port in item.ports]
    return sum(others) / len(others) if others else item.centre


def _spread(column: list[Item], wanted: list[float]) -> None:
    """Keep the order and the gaps: the middle between pushing all down and pushing all up."""
    down, up = list(wanted), list(wanted)
    apart = [_apart(above, below) for above, below in pairwise(column)]
    for number, distance in enumerate(apart):
        down[number + 1] = max(down[number + 1], down[number] + distance)
    for number, distance in reversed(list(enumerate(apart))):
        up[number] = min(up[number], up[number + 1] - distance)
    for item, low, high in zip(column, down, up, strict=True):
        item.centre = (low + high) / 2


def _apart(above: Item, below: Item) -> float:
    return (above.height + below.height) / 2 + (_BOX_GAP if above.is_box or below.is_box else _LANE_GAP)


def _settle_ports(columns: list[list[Item]]) -> None:
    """Each port gets a height of its own on its side, in the order of where its arrow goes."""
    for item in (item for column in columns for item in column):
        for side in (item.left, item.right):
            side.sort(key=lambda port: port.place)
            free = (item.height - sum(port.height for port in side)) / 2
            y = item.centre - item.height / 2 + free
            for port in side:
                y += port.height
                port.y = y - (6 if port.label_height else port.height / 2)
