"""Mermaid text has a line for everything that there is, and no text can break out of it."""

import re
from dataclasses import replace

import pytest

from keepfact.model.pictures import DRAWINGS, story_of
from keepfact.model.pictures.classes import told
from keepfact.model.pictures.mermaid import class_mermaid, safe, story_mermaid

from .drawn import HOSTILE, broken_by, graph_of, hostile_story


def test_a_state_diagram_has_a_line_for_every_class_and_every_edge() -> None:
    graph = graph_of("children")
    lines = [line.strip() for line in class_mermaid(graph).splitlines()]
    assert lines[0] == "stateDiagram-v2"
    assert 'state "waiting external" as waiting_external' in lines
    for edge in graph.edges:
        assert f"{edge.source.name.lower()} --> {edge.target.name.lower()}: {told(edge.causes)}" in lines
    assert "cancelled --> [*]" in lines
    for node in graph.nodes:
        assert f"{node.state_class.name.lower()}: {safe(f'refused here ×{node.refused:,}')}" in lines
    arrows = [line for line in lines if "-->" in line and "[*]" not in line]
    assert len(arrows) == len(graph.edges)
    assert all(re.fullmatch(r"\w+ --> \w+: [^:;]+", line) for line in arrows)


def test_a_sequence_diagram_has_a_line_for_every_step_and_every_answer() -> None:
    story = story_of(broken_by("recovery_clears_the_partial_body"))
    lines = [line.strip() for line in story_mermaid(story).splitlines()]
    assert lines[0] == "sequenceDiagram"
    assert "participant asker3 as clock" in lines
    assert "asker3-)system: 4. tick#58; seconds 1" in lines
    assert "asker4->>system: 5. recover" in lines
    assert "system-->>asker2: done#58; fence 1" in lines
    assert len([line for line in lines if line.startswith("Note right of system")]) == len(story.rows)
    assert len([line for line in lines if "This breaks" in line]) == 2
    assert lines.index("rect rgba(192, 31, 46, 0.2)") < lines.index("asker4->>system: 5. recover")
    assert lines[-1] == "end"


@pytest.mark.parametrize("suffix", DRAWINGS)
def test_a_picture_of_hostile_text_has_as_many_lines_as_one_of_tame_text(suffix: str) -> None:
    graph = graph_of("timers")
    tame, hostile = replace(graph, name="x", bounds="x"), replace(graph, name=HOSTILE, bounds=HOSTILE)
    assert len(DRAWINGS[suffix].scope(hostile).splitlines()) == len(DRAWINGS[suffix].scope(tame).splitlines())
    DRAWINGS[suffix].story(hostile_story()).encode()


def test_what_means_something_to_mermaid_stands_as_its_number() -> None:
    assert re.fullmatch(r"(\w|[ .,'()/×…_-]|#\d+;)*", safe(HOSTILE))
    assert safe("a; b: <c> #1") == "a#59; b#58; #60;c#62; #35;1"
    assert safe("one\ntwo") == "one#92;ntwo"
    body = story_mermaid(hostile_story())
    assert "<script" not in body
    assert all(re.match(r"    (acc|participant|asker|system|Note|rect|end)", line) for line in body.splitlines()[1:])
