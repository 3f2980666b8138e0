"""The classes of a scope as an SVG, from left to right as a run lives."""

from .classes import ClassEdge, ClassGraph, ClassNode, StateClass, title_of, told, told_of
from .layout import Arrow, Box, Placed, Route, placed
from .svg import LINE, MARGIN, lines_of_text, page, path, safe, text, tip, width_of, wrapped

_BOX_WIDTH = 180
_LABEL_WIDTH = 150
_HEAD = 34
_COLUMNS = (
    (StateClass.ABSENT, StateClass.QUEUED),
    (
        StateClass.WAITING_APPROVAL,
        StateClass.WAITING_EXTERNAL,
        StateClass.RUNNING,
        StateClass.CALL_OPEN,
        StateClass.CALL_UNKNOWN,
    ),
    (StateClass.CANCELLING, StateClass.UNKNOWN, StateClass.LAPSED),
    (StateClass.CANCELLED, StateClass.SUCCEEDED, StateClass.FAILED, StateClass.INTERRUPTED),
)
_TONES = {
    StateClass.QUEUED: "go",
    StateClass.RUNNING: "go",
    StateClass.CALL_OPEN: "go",
    StateClass.CALL_UNKNOWN: "doubt",
    StateClass.WAITING_APPROVAL: "wait",
    StateClass.WAITING_EXTERNAL: "wait",
    StateClass.CANCELLING: "stop",
    StateClass.CANCELLED: "stop",
    StateClass.LAPSED: "wait",
    StateClass.UNKNOWN: "doubt",
    StateClass.SUCCEEDED: "good",
    StateClass.FAILED: "bad",
}


def class_svg(graph: ClassGraph) -> str:
    """The whole picture. Colours go with the class that an arrow leads to, and say nothing that words do not."""
    rows = {node.state_class: _lines_of(node) for node in graph.nodes}
    labels = [_label(edge) for edge in graph.edges]
    place = placed(
        [Box(node.state_class, column, _height(rows[node.state_class])) for column, node in _in_columns(graph)],
        [
            Arrow(edge.source, edge.target, max(map(width_of, label)), len(label) * LINE)
            for edge, label in zip(graph.edges, labels, strict=True)
        ],
        _BOX_WIDTH,
    )
    width = max(place.width, 640.0) + 2 * MARGIN
    bounds = wrapped(f"Bounds: {graph.bounds}.", width - 2 * MARGIN)
    top = MARGIN + 24 + len(bounds) * LINE + 20
    height = top + place.height + 44 + MARGIN
    body = [
        text(MARGIN, MARGIN + 14, title_of(graph), "heading"),
        *lines_of_text(MARGIN, MARGIN + 36, bounds, "faint"),
        f'<g transform="translate({MARGIN},{top:.1f})">',
        *(_arrow(*drawn) for drawn in zip(graph.edges, labels, place.routes, strict=True)),
        *(_box(node, rows[node.state_class], place) for node in graph.nodes),
        "</g>",
        *_legend(height - MARGIN),
    ]
    return page(title_of(graph), _description(graph), body, width, height)


def _in_columns(graph: ClassGraph) -> list[tuple[int, ClassNode]]:
    """The classes that there are, in the order they stand in; columns without any are left out."""
    nodes = {node.state_class: node for node in graph.nodes}
    columns = [column for column in _COLUMNS if any(one in nodes for one in column)]
    return [(number, nodes[one]) for number, column in enumerate(columns) for one in column if one in nodes]


def _label(edge: ClassEdge) -> list[str]:
    """A line for each command or happening, wrapped where its name is long."""
    return [line for cause in edge.causes for line in wrapped(told((cause,)), _LABEL_WIDTH)]


def _lines_of(node: ClassNode) -> list[str]:
    """What stands in a box below its name."""
    return [line for said in told_of(node) for line in wrapped(said, _BOX_WIDTH - 24)]


def _height(lines: list[str]) -> float:
    return _HEAD + len(lines) * LINE + 4


def _box(node: ClassNode, lines: list[str], place: Placed) -> str:
    x, y, height = place.boxes[node.state_class]
    stays = told(node.stays) or "nothing"
    head = y + (height - _height(lines)) / 2 + 22
    parts = (
        f'<g class="node {_TONES.get(node.state_class, "")}">',
        f"<title>{safe(f'{node.state_class}; stays at: {stays}')}</title>",
        f'<rect class="box" x="{x:.1f}" y="{y:.1f}" width="{_BOX_WIDTH}" height="{height:.1f}" rx="8"/>',
        text(x + 12, head, node.state_class, "strong toned"),
        *lines_of_text(x + 12, head + LINE + 3, lines, "faint"),
        "</g>",
    )
    return "\n".join(parts)


def _arrow(edge: ClassEdge, label: list[str], route: Route) -> str:
    last, before = route.points[-1], route.points[-2]
    foot = route.label_y - LINE * (len(label) - 1)
    parts = (
        f'<g class="edge {_TONES.get(edge.target, "")}">',
        f"<title>{safe(f'{edge.source} to {edge.target}: {told(edge.causes)}')}</title>",
        path(_curve(route), "line" if edge.is_asked else "line dashed"),
        tip(*last, to_left=last[0] < before[0]),
        *lines_of_text(route.label_x, foot, label, "toned"),
        "</g>",
    )
    return "\n".join(parts)


def _curve(route: Route) -> str:
    """Straight beside boxes, bent between them; back to the same column it bends the further out the longer it is."""
    (x, y), data = route.points[0], list[str]()
    data.append(f"M{x:.1f},{y:.1f}")
    for number in range(0, len(route.points), 4):
        (_, _), (x1, y1), (x2, y2), (x3, y3) = route.points[number : number + 4]
        if x1 == x2:
            out = x1 + 20 + 110 * abs(y2 - y1) / (abs(y2 - y1) + 200)
            bend = f"C{out:.1f},{y1:.1f} {out:.1f},{y2:.1f}"
        else:
            middle = (x1 + x2) / 2
            bend = f"C{middle:.1f},{y1:.1f} {middle:.1f},{y2:.1f}"
        start = route.points[number][0]
        data.append(f"L{start:.1f},{y1:.1f} L{x1:.1f},{y1:.1f} {bend} {x2:.1f},{y2:.1f} L{x3:.1f},{y3:.1f}")
    return " ".join(data)


def _legend(y: float) -> list[str]:
    return [
        f'<g transform="translate({MARGIN},{y:.1f})">',
        path("M0,-4 h34", "line"),
        tip(42, -4),
        text(52, 0, "a command led there, ×: on so many edges", "faint"),
        path("M340,-4 h34", "line dashed"),
        tip(382, -4),
        text(392, 0, "only time or the outside did", "faint"),
        "</g>",
    ]


def _description(graph: ClassGraph) -> str:
    """The same for those who do not see it."""
    return " ".join(f"From {edge.source} to {edge.target}: {told(edge.causes)}." for edge in graph.edges)
