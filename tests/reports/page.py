"""A page read as a browser reads it: into a tree, with complaints about tags that do not fit each other."""

from html.parser import HTMLParser
from pathlib import Path
from xml.etree.ElementTree import Element, TreeBuilder

from keepfact.reports import write

VOID = {"meta", "link", "br", "wbr", "hr", "img", "input"}


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tree = TreeBuilder()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> has an attribute twice: {names}"
        self.tree.start(tag, {name: value or "" for name, value in attrs})
        if tag in VOID:
            self.tree.end(tag)
        else:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        expected = self.open.pop() if self.open else None
        assert tag == expected, f"</{tag}> closes <{expected}>"
        self.tree.end(tag)

    def handle_data(self, data: str) -> None:
        if self.open:
            self.tree.data(data)


def parse(text: str) -> Element:
    builder = _Builder()
    builder.feed(text)
    builder.close()
    assert not builder.open, f"never closed: {builder.open}"
    return builder.tree.close()


def page_of(directory: Path, language: str = "en") -> Element:
    (path,) = write(directory, ["html"], languages=[language])
    return parse(path.read_text(encoding="utf-8"))


def by_id(page: Element, name: str) -> Element:
    (found,) = [element for element in page.iter() if element.get("id") == name]
    return found


def words(element: Element) -> str:
    """All text in the element, with single spaces."""
    return " ".join(" ".join(element.itertext()).split())
