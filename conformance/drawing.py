"""Where a picture of the model is drawn: a file, whose suffix says how."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from keepfact.model.explore import Broken
from keepfact.model.pictures import DRAWINGS, Drawing, class_graph, story_of
from keepfact.model.scopes import Scope

from .errors import KeepfactError


@dataclass(frozen=True)
class Canvas:
    """A file that one picture is drawn in; what was in it before is gone."""

    path: Path
    drawing: Drawing

    def draw_scope(self, scope: Scope, progress: Callable[[int], None]) -> None:
        """The classes of the scope's states, and what leads from one to another."""
        self._write(self.drawing.scope(class_graph(scope, progress)))

    def draw_story(self, broken: Iterable[Broken]) -> None:
        """How rules were broken, step by step."""
        self._write(self.drawing.story(story_of(broken)))

    def _write(self, picture: str) -> None:
        try:
            self.path.write_text(picture, encoding="utf-8")
        except OSError as error:
            raise KeepfactError(f"expected to draw in {self.path}, but {error.strerror or error}.") from error


def canvas_for(path: Path) -> Canvas:
    """The canvas of that file. What could not be drawn in is told before any search begins."""
    drawing = DRAWINGS.get(path.suffix.lower())
    if drawing is None:
        raise KeepfactError(f"expected a picture whose name ends in {' or '.join(DRAWINGS)}, but got {str(path)!r}.")
    if path.is_dir() or not path.parent.is_dir():
        raise KeepfactError(f"expected a file to draw in, in a folder that is there, but got {str(path)!r}.")
    return Canvas(path, drawing)
