"""Nothing lies on top of anything else: no box, no label, and no line through either."""

from collections.abc import Iterator
from itertools import combinations, permutations
from random import Random

import pytest

from keepfact.model.pictures.classes import StateClass
from keepfact.model.pictures.layout import Arrow, Box, Placed, placed

COLUMNS = {one: number % 4 for number, one in enumerate(StateClass)}


def dense(seed: int) -> tuple[Placed, list[Arrow]]:
    """Many arrows between many boxes, forth, back and within a column."""
    chance = Random(seed)
    boxes = [Box(one, column, chance.randint(50, 120)) for one, column in COLUMNS.items()]
    arrows = [
        Arrow(source, target, chance.randint(20, 150), chance.choice([15, 30, 45]))
        for source, target in chance.sample(list(permutations(COLUMNS, 2)), 36)
    ]
    return placed(boxes, arrows, 180), arrows


def label_boxes(place: Placed, arrows: list[Arrow]) -> list[tuple[float, float, float, float]]:
    return [
        (route.label_x, route.label_y - arrow.label_height + 3, route.label_x + arrow.label_width, route.label_y)
        for route, arrow in zip(place.routes, arrows, strict=True)
    ]


@pytest.mark.parametrize("seed", range(5))
def test_no_box_and_no_label_lies_on_another(seed: int) -> None:
    place, arrows = dense(seed)
    boxes = [(x, y, x + 180, y + height) for x, y, height in place.boxes.values()]
    for one, other in combinations([*boxes, *label_boxes(place, arrows)], 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
    assert all(y >= 0 and y + height <= place.height for _, y, height in place.boxes.values())


@pytest.mark.parametrize("seed", range(5))
def test_no_line_runs_through_a_box_or_a_label(seed: int) -> None:
    place, arrows = dense(seed)
    boxes = [(x, y, x + 180, y + height) for x, y, height in place.boxes.values()]
    for x_from, x_to, y in straight_lines(place):
        for left, top, right, bottom in [*boxes, *label_boxes(place, arrows)]:
            assert x_to <= left or right <= x_from or not top < y < bottom


@pytest.mark.parametrize("seed", range(5))
def test_lines_bend_only_between_columns(seed: int) -> None:
    place, arrows = dense(seed)
    taken = [(left, right) for left, _, right, _ in label_boxes(place, arrows)]
    taken += [(x, x + 180) for x, _, _ in place.boxes.values()]
    for route in place.routes:
        for number in range(0, len(route.points), 4):
            (from_x, _), (to_x, _) = route.points[number + 1 : number + 3]
            assert all(right <= min(from_x, to_x) or max(from_x, to_x) <= left for left, right in taken)


def straight_lines(place: Placed) -> Iterator[tuple[float, float, float]]:
    """Each level line, from left to right, with its height: before and after each bend, and through whole columns."""
    for route in place.routes:
        for number in range(0, len(route.points), 2):
            (x, y), (other_x, _) = route.points[number : number + 2]
            yield min(x, other_x), max(x, other_x), y
        for number in range(3, len(route.points) - 1, 4):
            (x, y), (other_x, _) = route.points[number : number + 2]
            yield min(x, other_x), max(x, other_x), y
