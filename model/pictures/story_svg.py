"""A counterexample as an SVG: a lane for everybody who asked, a line for the system, and what came of each step."""

from dataclasses import dataclass

from .rows import Row, Story
from .svg import LINE, MARGIN, lines_of_text, page, path, safe, text, tip, width_of, wrapped

_NUMBER_WIDTH = 30
_SAID_MIN, _SAID_MAX = 180, 420
_STANDS_WIDTH = 250
_LANE_MIN = 84
_RETURN_HEIGHT = 24
_PADDING = 14


@dataclass(frozen=True)
class _Across:
    """Where things stand from left to right: the lanes, where what is said begins, the system, where a run stands."""

    lanes: dict[str, float]
    said: float
    system: float

    @property
    def stands(self) -> float:
        return self.system + 48

    @property
    def width(self) -> float:
        return self.stands + _STANDS_WIDTH + MARGIN


def story_svg(story: Story) -> str:
    """The whole picture, its last step marked as what broke the rules."""
    across = _across(story)
    title = wrapped(story.title, across.width * 0.62 - MARGIN)
    top = MARGIN + 22 * len(title) + 42
    body, y = list[str](), float(top)
    for row in story.rows:
        body += _row(row, across, y, is_last=row is story.rows[-1])
        y += _height(row, across)
    broken = [f"This breaks {rule}: {sentence}" for rule, sentence in story.broken]
    verdict = [line for said in broken for line in wrapped(said, across.width - 130)]
    body += lines_of_text(MARGIN + _NUMBER_WIDTH, y + 26, verdict, "strong toned bad")
    head = [text(MARGIN, MARGIN + 14 + 22 * number, line, "heading") for number, line in enumerate(title)]
    drawn = [*head, *_lanes(across, top, y), *body]
    return page(story.title, _description(story), drawn, across.width, y + 26 + len(verdict) * LINE + MARGIN)


def _across(story: Story) -> _Across:
    lanes, x = dict[str, float](), float(MARGIN + _NUMBER_WIDTH)
    for asker in story.askers:
        width = max(_LANE_MIN, width_of(asker) * 1.08 + 20)
        lanes[asker] = x + width / 2
        x += width
    widest = max(width_of(words) for row in story.rows for words in (row.said, row.came_back or ""))
    return _Across(lanes, x + 8, x + 8 + min(_SAID_MAX, max(_SAID_MIN, widest)) + 24)


def _lanes(across: _Across, top: float, bottom: float) -> list[str]:
    drawn = [text(across.stands, top - 12, "where the run stands then", "faint")]
    for name, x in (*across.lanes.items(), ("system", across.system)):
        drawn += [text(x, top - 12, name, "strong", "middle"), path(f"M{x:.1f},{top:.1f} V{bottom:.1f}", "rule")]
    return drawn


def _said(row: Row, across: _Across) -> list[str]:
    return wrapped(row.said, across.system - across.said - 20)


def _height(row: Row, across: _Across) -> float:
    """As high as what was said with its answer, or as what is told of the run."""
    asked = len(_said(row, across)) * LINE
    answered = 0 if row.came_back is None else len(_back(row, across)) * LINE + _RETURN_HEIGHT - LINE
    return 2 * _PADDING + max(asked + answered, LINE * (len(wrapped(row.stands, _STANDS_WIDTH)) + len(_details(row))))


def _back(row: Row, across: _Across) -> list[str]:
    return wrapped(row.came_back or "", across.system - across.said - 20)


def _details(row: Row) -> list[str]:
    return [line for detail in row.details for line in wrapped(detail, _STANDS_WIDTH)]


def _row(row: Row, across: _Across, y: float, *, is_last: bool) -> list[str]:
    said, x, height = _said(row, across), across.lanes[row.asker], _height(row, across)
    asked_y = y + _PADDING + len(said) * LINE + 1
    end = across.width - MARGIN
    frame = f'<rect class="box" x="{MARGIN}" y="{y:.1f}" width="{end - MARGIN:.1f}" height="{height:.1f}" rx="6"/>'
    stands = wrapped(row.stands, _STANDS_WIDTH)
    line = "line" if row.came_back is not None else "line dashed"
    return [
        f'<g class="step {"bad" if is_last else ""}">',
        f"<title>{safe(_sentence(row))}</title>",
        frame if is_last else path(f"M{MARGIN},{y + height:.1f} H{end:.1f}", "rule"),
        *([path(f"M{lane:.1f},{y:.1f} v{height:.1f}", "rule") for lane in _lines(across)] if is_last else []),
        text(MARGIN + 8, y + _PADDING + 12, f"{row.number}", "strong toned"),
        *lines_of_text(across.said, y + _PADDING + LINE - 4, said, ""),
        path(f"M{x:.1f},{asked_y:.1f} H{across.system - 4:.1f}", line),
        tip(across.system, asked_y),
        *_answer(row, across, x, asked_y),
        *lines_of_text(across.stands, y + _PADDING + LINE - 4, stands, "strong"),
        *lines_of_text(across.stands, y + _PADDING + LINE * (1 + len(stands)) - 4, _details(row), "faint"),
        "</g>",
    ]


def _lines(across: _Across) -> list[float]:
    return [*across.lanes.values(), across.system]


def _answer(row: Row, across: _Across, x: float, asked_y: float) -> list[str]:
    """Nobody asked for a happening, so nothing comes back."""
    if row.came_back is None:
        return []
    back = _back(row, across)
    y = asked_y + _RETURN_HEIGHT + (len(back) - 1) * LINE
    return [
        *lines_of_text(across.said, asked_y + _RETURN_HEIGHT - 5, back, "faint"),
        path(f"M{across.system:.1f},{y:.1f} H{x + 4:.1f}", "line dotted"),
        tip(x, y, to_left=True),
    ]


def _sentence(row: Row) -> str:
    came_back = "" if row.came_back is None else f" It came back: {row.came_back}."
    details = "".join(f", {detail}" for detail in row.details)
    return f"Step {row.number}, {row.asker}: {row.said}.{came_back} The run: {row.stands}{details}."


def _description(story: Story) -> str:
    """The same for those who do not see it."""
    rules = " ".join(f"This breaks {rule}: {sentence}" for rule, sentence in story.broken)
    return " ".join([*map(_sentence, story.rows), rules])
