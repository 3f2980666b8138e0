"""What all SVG pictures have in common: a page that is read in light and dark, text that is escaped, lines of text."""

from collections.abc import Iterable, Sequence
from unicodedata import east_asian_width
from xml.sax.saxutils import escape, quoteattr

from .names import printable

MARGIN = 24
LINE = 15
"""Pixels from one line of small text to the next."""

_SMALL_EM = 12
_STYLE = """
:root { color-scheme: light dark; }
svg { --paper: #ffffff; --ink: #1f2328; --faint: #59636e; --rule: #c8ccd1; --box: #f6f8fa;
  --go: #0b63c5; --wait: #8a5a00; --stop: #7a3fb3; --doubt: #b3470a; --good: #1a7f37; --bad: #c01f2e; }
@media (prefers-color-scheme: dark) {
  svg { --paper: #0d1117; --ink: #e6edf3; --faint: #9aa4ae; --rule: #3d444d; --box: #161b22;
    --go: #62a8ff; --wait: #dda63a; --stop: #be94f5; --doubt: #f28a4b; --good: #4cc366; --bad: #ff7b76; }
}
.paper { fill: var(--paper); }
text { font: 12px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: var(--ink); }
.heading { font-size: 18px; font-weight: 600; }
.strong { font-weight: 600; }
.faint { fill: var(--faint); }
.rule { stroke: var(--rule); fill: none; }
.box { fill: var(--box); stroke: var(--tone, var(--rule)); stroke-width: 1.5; }
.line { fill: none; stroke: var(--tone, var(--ink)); stroke-width: 1.5; }
.tip { fill: var(--tone, var(--ink)); }
.dashed { stroke-dasharray: 6 4; }
.dotted { stroke-dasharray: 2 3; }
.toned { fill: var(--tone, var(--ink)); }
.go { --tone: var(--go); } .wait { --tone: var(--wait); } .stop { --tone: var(--stop); }
.doubt { --tone: var(--doubt); } .good { --tone: var(--good); } .bad { --tone: var(--bad); }
.edge:hover .line { stroke-width: 3.5; }
"""


def page(title: str, description: str, body: Iterable[str], width: float, height: float) -> str:
    """A whole picture, with what a screen reader reads."""
    lines = (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title description"'
        f' width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}">',
        f'<title id="title">{safe(title)}</title>',
        f'<desc id="description">{safe(description)}</desc>',
        f"<style>{_STYLE}</style>",
        '<rect class="paper" width="100%" height="100%"/>',
        *body,
        "</svg>",
    )
    return "\n".join(lines) + "\n"


def safe(content: str) -> str:
    """Any text as the content of an element; what XML cannot hold stands as its escape."""
    return escape(printable(content))


def text(x: float, y: float, content: str, classes: str = "", anchor: str = "start") -> str:
    """One line of text whose foot is at y."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class={quoteattr(classes)}>{safe(content)}</text>'


def lines_of_text(x: float, y: float, lines: Sequence[str], classes: str = "") -> list[str]:
    """Small lines below each other; the foot of the first is at y."""
    return [text(x, y + LINE * number, line, classes) for number, line in enumerate(lines)]


def path(data: str, classes: str) -> str:
    return f'<path d="{data}" class={quoteattr(classes)}/>'


def tip(x: float, y: float, *, to_left: bool = False) -> str:
    """An arrow's head that ends here."""
    back = 9 if to_left else -9
    return path(f"M{x:.1f},{y:.1f} l{back},-4.5 v9 z", "tip")


def width_of(content: str) -> float:
    """At least as many pixels as small text needs in any usual font."""
    return sum(map(_width_of_character, content))


def wrapped(content: str, width: float) -> list[str]:
    """The text in lines that are no wider; broken between words, and within one only if it is wider itself."""
    lines, used = [""], 0.0
    blank = width_of(" ")
    for piece in (piece for word in content.split() for piece in _pieces(word, width)):
        needed = width_of(piece)
        if lines[-1] and used + blank + needed <= width:
            lines[-1] += f" {piece}"
            used += blank + needed
        else:
            lines.append(piece)
            used = needed
    return lines[1:] or lines


def _pieces(word: str, width: float) -> list[str]:
    """The word, cut wherever it would become too wide."""
    pieces, used = [""], 0.0
    for one in word:
        needed = _width_of_character(one)
        if pieces[-1] and used + needed > width:
            pieces.append("")
            used = 0.0
        pieces[-1] += one
        used += needed
    return pieces


def _width_of_character(one: str) -> float:
    return _SMALL_EM * (1.0 if east_asian_width(one) in "WF" else 0.56)
