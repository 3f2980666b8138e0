"""A picture of a scope shows everything that there is, and no text can break out of it."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from keepfact.model.pictures import class_graph
from keepfact.model.pictures.class_svg import class_svg
from keepfact.model.pictures.classes import ClassEdge, ClassNode, StateClass, state_class, told
from keepfact.model.scopes import SCOPES, Scope
from keepfact.model.walker import Walker

from .drawn import HOSTILE, SMALL, SVG, all_text, graph_of
from .play import RUN, Play, in_flight, publish, queued, running, sealed, succeed, unknown


@pytest.mark.parametrize(
    ("play", "expected"),
    [
        (Play(), StateClass.ABSENT),
        (queued(), StateClass.QUEUED),
        (running(), StateClass.RUNNING),
        (in_flight(), StateClass.CALL_OPEN),
        (unknown(), StateClass.CALL_UNKNOWN),
        (in_flight().wait(), StateClass.LAPSED),
        (sealed(), StateClass.UNKNOWN),
        (running().do(publish(), succeed()), StateClass.SUCCEEDED),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_run_stands_in_one_class(play: Play, expected: StateClass) -> None:
    assert state_class(play.state.run(RUN)) is expected


@pytest.mark.parametrize("scope", SMALL, ids=lambda scope: scope.name)
def test_every_state_and_every_edge_that_is_no_repeat_is_counted_once(scope: Scope) -> None:
    walker = Walker(scope)
    edges = sum(edge.repeats is None for _, edge, _ in walker.edges())
    graph = graph_of(scope.name)
    done = sum(count for counts in (*graph.nodes, *graph.edges) for _, count in counts_of(counts))
    assert graph.states == len(walker.arrived_by)
    assert done + sum(node.refused for node in graph.nodes) == edges


def counts_of(part: ClassNode | ClassEdge) -> tuple[tuple[str, int], ...]:
    return part.stays if isinstance(part, ClassNode) else part.causes


def test_what_leads_from_class_to_class_is_grouped() -> None:
    graph = graph_of("children")
    edges = {(edge.source, edge.target): edge for edge in graph.edges}
    assert edges[StateClass.CANCELLING, StateClass.CANCELLED].causes == (("recover", 83), ("stop", 16))
    assert edges[StateClass.WAITING_EXTERNAL, StateClass.RUNNING].causes == (("wake", 6),)
    assert edges[StateClass.RUNNING, StateClass.LAPSED].causes == (("tick", 19),)
    assert not edges[StateClass.RUNNING, StateClass.LAPSED].is_asked
    assert edges[StateClass.RUNNING, StateClass.FAILED].is_asked
    assert (StateClass.INTERRUPTED, StateClass.RUNNING) not in edges


def test_progress_is_told_while_a_scope_is_walked() -> None:
    told: list[int] = []
    graph = class_graph(next(scope for scope in SCOPES if scope.name == "retry"), told.append)
    assert told == sorted(told)
    assert 0 < told[-1] <= graph.states


# A scope as SVG


@pytest.mark.parametrize("scope", SMALL, ids=lambda scope: scope.name)
def test_every_class_and_every_edge_is_in_the_picture(scope: Scope) -> None:
    graph = graph_of(scope.name)
    root = ElementTree.fromstring(class_svg(graph))
    titles = {title.text or "" for title in root.iter(f"{SVG}title")}
    boxes = [group for group in root.iter(f"{SVG}g") if (group.get("class") or "").startswith("node")]
    arrows = [group for group in root.iter(f"{SVG}g") if (group.get("class") or "").startswith("edge")]
    shown = all_text(class_svg(graph))
    assert (len(boxes), len(arrows)) == (len(graph.nodes), len(graph.edges))
    for node in graph.nodes:
        assert f"{node.state_class} {node.states:,} state" in shown
        assert f"refused here ×{node.refused:,}" in shown
    for edge in graph.edges:
        assert f"{edge.source} to {edge.target}: {told(edge.causes)}" in titles
        assert all(f"{name} ×{count:,}" in shown for name, count in edge.causes)


def test_a_picture_can_be_heard_and_is_seen_in_light_and_dark() -> None:
    graph = graph_of("timers")
    picture = class_svg(graph)
    root = ElementTree.fromstring(picture)
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert description is not None
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    assert title.text == f"Scope timers: {graph.states:,} states in {len(graph.nodes)} classes"
    assert all(f"From {edge.source} to {edge.target}" in (description.text or "") for edge in graph.edges)
    assert "prefers-color-scheme: dark" in picture
    assert not re.search(r"(href|src|url\(|@import)", picture)


def test_the_same_scope_gives_the_same_picture() -> None:
    assert class_svg(graph_of("timers")) == class_svg(graph_of("timers"))


def test_a_hostile_scope_cannot_break_out() -> None:
    graph = replace(graph_of("timers"), name=HOSTILE, bounds=HOSTILE)
    root = ElementTree.fromstring(class_svg(graph))
    assert not list(root.iter(f"{SVG}script"))
    assert "<script>alert('1')</script>" in all_text(class_svg(graph))
    class_svg(graph).encode()
