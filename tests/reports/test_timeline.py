"""A trace as a picture."""

from keepfact.conformance.evidence import MarkRecord
from keepfact.reports.summary import Trace
from keepfact.reports.timeline import MARKS_MAX, telling, timeline


def trace(*marks: tuple[str, str], name: str = "t") -> Trace:
    records = (
        MarkRecord(trace=name, lane=lane, at_ms=number, shape=shape, text=f"{lane} {shape}")
        for number, (lane, shape) in enumerate(marks)
    )
    return Trace(name, "experiment", tuple(records))


def test_marks_stand_in_the_order_they_were_made() -> None:
    drawn = timeline(trace(("worker", "seam"), ("model", "request"), ("model", "answer"), ("worker", "kill")))
    assert [mark.number for mark in drawn.marks] == [1, 2, 3, 4]
    assert sorted(mark.x for mark in drawn.marks) == [mark.x for mark in drawn.marks]
    assert all(drawn.left < mark.x < drawn.width for mark in drawn.marks)


def test_lanes_stand_in_their_fixed_order_and_only_if_used() -> None:
    drawn = timeline(trace(("recovery", "recovery"), ("worker", "seam"), ("moon", "seam")))
    assert [lane.name for lane in drawn.lanes] == ["worker", "recovery", "moon"]


def test_requests_leave_the_worker_and_answers_come_to_it() -> None:
    drawn = timeline(trace(("worker", "seam"), ("tool", "request"), ("tool", "answer")))
    worker, tool = (lane.y for lane in drawn.lanes)
    assert [(arrow.y_from, arrow.y_to) for arrow in drawn.arrows] == [(worker, tool), (tool, worker)]


def test_an_answer_to_a_killed_worker_reaches_nobody() -> None:
    drawn = timeline(trace(("tool", "request"), ("worker", "kill"), ("tool", "answer"), ("worker", "seam")))
    request, kill, _, seam = drawn.marks
    assert [arrow.x for arrow in drawn.arrows] == [request.x]
    assert next(lane for lane in drawn.lanes if lane.name == "worker").gaps == ((kill.x, seam.x),)


def test_a_worker_that_never_comes_back_is_dead_to_the_end() -> None:
    (lane,) = timeline(trace(("worker", "seam"), ("worker", "kill"))).lanes
    ((start, end),) = lane.gaps
    assert start < end


def test_a_shape_that_nobody_knows_is_drawn_as_another_mark() -> None:
    (mark,) = timeline(trace(("worker", "comet"))).marks
    assert (mark.shape, mark.word) == ("other", "comet")


def test_marks_that_do_not_fit_are_counted() -> None:
    assert timeline(trace(*[("worker", "seam")] * (MARKS_MAX + 3))).left_out == 3


def test_the_traces_that_show_most_are_drawn_and_none_twice() -> None:
    dull = trace(("worker", "seam"), name="dull")
    rich = trace(("worker", "seam"), ("worker", "kill"), ("recovery", "recovery"), name="rich")
    same = trace(("worker", "seam"), ("worker", "kill"), ("recovery", "recovery"), name="same")
    assert [found.name for found in telling([dull, rich, same], 3)] == ["rich", "dull"]
    assert [found.name for found in telling([dull, rich, same], 1)] == ["rich"]


def told(*events: str) -> Trace:
    lanes = [("database", event) if event.startswith("event") else tuple(event.split(" ", 1)) for event in events]
    records = (
        MarkRecord(
            trace="t", lane=lane, at_ms=number, shape="commit" if lane == "database" else text.split(" ")[0], text=text
        )
        for number, (lane, text) in enumerate(lanes)
    )
    return Trace("t", "experiment", tuple(records))


def test_each_grant_is_a_bar_under_its_fence_until_the_history_ends_it() -> None:
    drawn = timeline(told("event 1 by work: granted", "event 2 by work: waited w", "event 3 by wake: granted"))
    first, waits, second = drawn.marks
    assert [(bar.x, bar.fence) for bar in drawn.bars] == [(first.x, 1), (waits.x, None), (second.x, 2)]
    assert drawn.bars[0].x_end == waits.x
    assert drawn.bars[2].x_end > second.x
    assert "lease" in [lane.name for lane in drawn.lanes]


def test_a_lease_goes_on_while_its_worker_is_dead() -> None:
    drawn = timeline(told("event 1 by work: granted", "worker kill SIGKILL", "event 2 by recover: sealed"))
    (bar,) = drawn.bars
    _, kill, sealed = drawn.marks
    assert bar.x < kill.x < bar.x_end == sealed.x


def test_seams_at_which_nothing_struck_are_counted_and_not_drawn() -> None:
    drawn = timeline(told("event 1 by work: granted", "worker seam a", "worker seam b", "worker kill SIGKILL"))
    assert [mark.shape for mark in drawn.marks] == ["commit", "seam", "kill"]
    assert drawn.passed == 1


def test_a_clock_that_is_off_leaves_its_worker_alive() -> None:
    drawn = timeline(told("event 1 by work: granted", "worker kill the clock of w is +7200 s off"))
    assert [lane.gaps for lane in drawn.lanes if lane.name == "worker"] == [()]


def test_a_lease_is_over_where_a_write_was_refused_for_that() -> None:
    drawn = timeline(told("event 1 by work: granted", "database lease_lapsed", "event 2 by recover: sealed"))
    (bar,) = drawn.bars
    assert bar.x_lapsed is not None
    assert bar.x < bar.x_lapsed < bar.x_end
