"""Pictures of the model: a scope as classes of states, and a counterexample step by step, as SVG or as Mermaid text."""

from collections.abc import Callable
from dataclasses import dataclass

from .class_svg import class_svg
from .classes import ClassGraph, class_graph
from .mermaid import class_mermaid, story_mermaid
from .rows import Story, story_of
from .story_svg import story_svg


@dataclass(frozen=True)
class Drawing:
    """One way to draw both."""

    scope: Callable[[ClassGraph], str]
    story: Callable[[Story], str]


DRAWINGS = {".svg": Drawing(class_svg, story_svg), ".mmd": Drawing(class_mermaid, story_mermaid)}
"""By the suffix of the file to draw in."""

__all__ = ["DRAWINGS", "Drawing", "class_graph", "story_of"]
