"""The same pictures as Mermaid text, which a pull request shows as a diagram."""

from collections.abc import Iterator
from textwrap import wrap

from .classes import ClassEdge, ClassGraph, ClassNode, StateClass, title_of, told, told_of
from .names import printable
from .rows import Row, Story

_LINE_MAX = 72
"""So many characters stand on one line of a label."""

_ENDS = (StateClass.CANCELLED, StateClass.SUCCEEDED, StateClass.FAILED, StateClass.INTERRUPTED)


def class_mermaid(graph: ClassGraph) -> str:
    """A state diagram: a state for each class, an arrow for everything that leads from one to another."""
    lines = [
        "stateDiagram-v2",
        f"    accTitle: {safe(title_of(graph))}",
        f"    accDescr: {safe(graph.bounds)}",
        "    direction LR",
        *(f"    {line}" for node in graph.nodes for line in _state(node)),
        *(f"    {_arrow(edge)}" for edge in graph.edges),
        *(f"    {_name(node.state_class)} --> [*]" for node in graph.nodes if node.state_class in _ENDS),
    ]
    return "\n".join(lines) + "\n"


def story_mermaid(story: Story) -> str:
    """A sequence diagram: a participant for everybody who asked, and the system."""
    participants = {asker: f"asker{number}" for number, asker in enumerate(story.askers, 1)}
    lines = [
        "sequenceDiagram",
        f"    accTitle: {safe(story.title)}",
        f"    accDescr: {safe(' '.join(f'{rule}: {sentence}' for rule, sentence in story.broken))}",
        *(f"    participant {name} as {safe(asker)}" for asker, name in participants.items()),
        "    participant system",
        *(f"    {line}" for row in story.rows[:-1] for line in _step(row, participants[row.asker])),
        "    rect rgba(192, 31, 46, 0.2)",
        *(f"    {line}" for line in _step(story.rows[-1], participants[story.rows[-1].asker])),
        *(
            f"    Note over {participants[story.askers[0]]},system: {in_lines(f'This breaks {rule}: {sentence}')}"
            for rule, sentence in story.broken
        ),
        "    end",
    ]
    return "\n".join(lines) + "\n"


def safe(content: str) -> str:
    """Any text as a label: what has a meaning in Mermaid or in HTML stands as its number."""
    plain = " .,'()/×…-_"
    return "".join(one if one.isalnum() or one in plain else f"#{ord(one)};" for one in printable(content))


def in_lines(content: str) -> str:
    """Any text as a label of several lines, broken between words."""
    return "<br/>".join(map(safe, wrap(content, _LINE_MAX)))


def _name(one: StateClass) -> str:
    return one.name.lower()


def _state(node: ClassNode) -> Iterator[str]:
    name = _name(node.state_class)
    yield f'state "{safe(node.state_class)}" as {name}'
    yield from (f"{name}: {safe(line)}" for line in told_of(node))


def _arrow(edge: ClassEdge) -> str:
    return f"{_name(edge.source)} --> {_name(edge.target)}: {safe(told(edge.causes))}"


def _step(row: Row, asker: str) -> Iterator[str]:
    yield f"{asker}{'-)' if row.came_back is None else '->>'}system: {row.number}. {in_lines(row.said)}"
    if row.came_back is not None:
        yield f"system-->>{asker}: {in_lines(row.came_back)}"
    yield f"Note right of system: {'<br/>'.join(map(in_lines, (row.stands, *row.details)))}"
