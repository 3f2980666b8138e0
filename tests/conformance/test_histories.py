"""Histories from files: right ones hold, wrong ones are told by line and rule, and what is no history is told so."""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from keepfact.conformance.histories import HistoryError, check_file
from keepfact.conformance.histories.lines import LINE_BYTES_MAX
from keepfact.conformance.schemas import schemas
from keepfact.conformance.second import JUDGED_OF_A_STATE, check_state, exported
from keepfact.conformance.second.compare import histories
from keepfact.conformance.second.export import plain
from keepfact.conformance.selftest import how_it_shows
from keepfact.conformance.verdicts import Verdict
from keepfact.model.defects import DEFECTS
from keepfact.model.paths import taken
from keepfact.model.scopes import APPROVALS, CHILDREN, CONTINUATION, RETRY, Scope
from keepfact.model.tours import tours
from keepfact.spec.vocabulary import Fail, Observation, Step

Thing = dict[str, Any]


@cache
def right() -> tuple[Thing, ...]:
    """The longest tour of a small scope."""
    return tuple(map(exported, taken(max(tours([RETRY]), key=len))))


@cache
def wrong() -> tuple[Thing, ...]:
    (shown, *_) = how_it_shows(DEFECTS["the_fence_is_not_checked"])
    return tuple(map(exported, shown.path))


def lines(steps: Iterable[Thing]) -> str:
    return "".join(json.dumps(step) + "\n" for step in steps)


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str | bytes], Path]:
    def write(text: str | bytes) -> Path:
        path = tmp_path / "history.ndjson"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


Written = Callable[[str | bytes], Path]


def test_a_right_history_holds_and_says_what_was_not_judged(written: Written) -> None:
    checked = check_file(written(lines(right())))
    assert (checked.verdict, checked.found, checked.crashes) == (Verdict.HOLDS, [], [])
    assert checked.count == len(right())
    assert checked.spoken["FENCE.1"] > 0
    assert checked.not_judged["WAKE.5"] == "no step met its condition"
    assert checked.not_judged["HISTORY.3"].startswith("in full: that the database itself refuses")


def test_a_wrong_history_is_told_by_line_step_and_rule(written: Written) -> None:
    checked = check_file(written("\n" + lines(wrong())))
    last = checked.found[-1]
    assert checked.verdict is Verdict.VIOLATED
    assert (last.number, last.line) == (len(wrong()), len(wrong()) + 1)
    assert {"FENCE.2", "FENCE.8"} <= {one.rule for one in checked.found}
    assert len({(one.number, one.rule) for one in checked.found}) == len(checked.found)


def test_without_what_happened_outside_the_rules_about_it_are_not_judged(written: Written) -> None:
    known = {"before", "cause", "outcome", "after"}
    checked = check_file(written(lines({name: step[name] for name in known} for step in right())))
    assert (checked.verdict, checked.crashes) == (Verdict.HOLDS, [])
    assert checked.not_judged["COST.2"] == "what happened outside was not recorded"
    assert "COST.2" not in check_file(written(lines(right()))).not_judged


def test_that_a_command_repeats_another_is_found_out_without_being_told(written: Written) -> None:
    """A claim that is repeated hands out a second fence; `repeats` is left out."""
    first = next(step for step in right() if step["cause"]["is"] == "Submit")
    again = {
        **first,
        "before": first["after"],
        "after": {**first["after"], "runs": []},
    }
    checked = check_file(written(lines({**step, "repeats": None} for step in (first, again))))
    assert "ENTRY.6" in {one.rule for one in checked.found}


@pytest.mark.parametrize("scope", [RETRY, CHILDREN, APPROVALS, CONTINUATION], ids=lambda one: one.name)
def test_every_run_that_a_right_system_shows_is_right_also_when_it_is_exported_alone(scope: Scope) -> None:
    shown = {run: step.after for walk in tours([scope])[::9] for step in taken(walk) for run in step.after.runs}
    alone = {run: replace(state, runs=(run,)) for run, state in shown.items()}
    assert {run: complaints for run, state in alone.items() if (complaints := check_state(plain(state)))} == {}
    assert len(alone) > 10


def test_a_state_is_judged_for_what_it_shows_and_nothing_else(written: Written) -> None:
    state = json.loads(json.dumps(right()[-1]["after"]))
    checked = check_file(written(json.dumps(state, indent=2)))
    assert (checked.kind, checked.count, checked.verdict) == ("states", 1, Verdict.HOLDS)
    assert checked.not_judged["ENTRY.1"] == "a state does not show what was asked, and in which order"
    state["runs"][0]["known_cents"] += 1
    state["runs"][0]["history"].pop(0)
    told = check_file(written(json.dumps(state, indent=2)))
    assert (told.verdict, {"HISTORY.1", "COST.8"} <= {one.rule for one in told.found}) == (Verdict.VIOLATED, True)


def test_what_a_state_can_break_is_said_beforehand() -> None:
    shown = [step.after for one in histories(tuple(DEFECTS.values()), 60, 7) for step in one.steps]
    assert {one.rule for state in shown for one in check_state(plain(state))} <= set(JUDGED_OF_A_STATE)


@pytest.mark.parametrize("text", ["", "\n \n", '{"runs": []}'])
def test_of_nothing_nothing_is_said(written: Written, text: str) -> None:
    checked = check_file(written(text))
    assert checked.verdict is Verdict.NOT_EXERCISED
    assert not checked.spoken


def test_what_is_published_is_what_is_read() -> None:
    published = schemas()
    step, history = (
        jsonschema.Draft202012Validator(json.loads(published[f"schemas/{name}.json"])) for name in ("step", "history")
    )
    for one in right()[-2:]:
        step.validate(one)
        history.validate(one["after"])


def test_half_a_character_is_a_text_that_a_command_may_have(written: Written) -> None:
    fail = Step(Observation(), Fail(*(["f", "run", 1, "half \ud800"])), None, Observation())  # type: ignore[arg-type]
    step = {**exported(fail), "outcome": {"is": "Refused", "reason": "no_such_run"}}
    assert check_file(written(lines([step]))).verdict is not Verdict.INCONCLUSIVE


def _changed(path: str, value: Any) -> Callable[[Thing], Any]:
    """A step with something else at a path; `None` as a value stands for the key being gone."""

    def change(step: Thing) -> Any:
        copy = json.loads(json.dumps(step))
        *way, last = path.split(".")
        inner = copy
        for part in way:
            inner = inner[int(part) if part.isdigit() else part]
        inner[last] = value
        return copy

    return change


WRONG_STEPS: dict[str, tuple[Callable[[Thing], Any], str]] = {
    "a number in quotes": (
        _changed("after.runs.0.fence", "1"),
        "a valid integer at after.runs.0.fence on line 2",
    ),
    "a boolean for a number": (_changed("after.runs.0.fence", True), "at after.runs.0.fence"),
    "an unknown state": (_changed("after.runs.0.state", "dreaming"), "at after.runs.0.state on line 2"),
    "a field nobody knows": (_changed("after.runs.0.mood", 1), "no such field at after.runs.0.mood"),
    "a part nobody knows": (_changed("mood", 1), "it is 'mood'"),
    "an unknown command": (_changed("cause.is", "Explode"), "an object whose `is` is one of Act, Assess"),
    "a command in a list": (_changed("cause", []), "an object whose `is` is one of Act"),
    "an argument nobody knows": (_changed("cause.mood", 1), "no such field at cause.mood"),
    "an unknown reason": (_changed("outcome", {"is": "Refused", "reason": "mood"}), "…"),
    "a command without an outcome": (_changed("outcome", None), "an outcome of a command, Submit at outcome on line 2"),
    "half of the truth": (_changed("truth", None), "truth and truth_before, both or neither"),
    "no object": (lambda step: [step], "an object with `runs` (a state) or with `cause` (a step) on line 2"),
    "something else": (lambda step: {"name": "x" * 500}, "but it is {'name': 'xxx"),
}


@pytest.mark.parametrize("name", WRONG_STEPS)
def test_a_step_that_is_not_as_published_is_told_with_line_and_path(written: Written, name: str) -> None:
    change, expected = WRONG_STEPS[name]
    with pytest.raises(HistoryError, match="on line 2 of ") as raised:
        check_file(written("\n" + lines([change(right()[0])])))
    assert expected in str(raised.value)
    assert len(str(raised.value)) < 1000


@pytest.mark.parametrize("part", ["before", "cause", "outcome", "after"])
def test_a_step_that_lacks_a_part_is_told(written: Written, part: str) -> None:
    step = {name: value for name, value in right()[0].items() if name != part}
    with pytest.raises(HistoryError, match="expected a" + (" step with before" if part != "cause" else "n object")):
        check_file(written(lines([step])))


def test_steps_that_do_not_follow_one_another_are_told(written: Written) -> None:
    with pytest.raises(HistoryError, match="each step to begin with what was there after the one before it on line 2"):
        check_file(written(lines([right()[0], right()[2]])))


def test_states_and_steps_in_one_file_are_told(written: Written) -> None:
    with pytest.raises(HistoryError, match=r"expected states or steps on line 2 of .*one follows the other"):
        check_file(written(lines([right()[0], right()[0]["after"]])))


WRONG_TEXTS: dict[str, tuple[str | bytes, str]] = {
    "no JSON": ("hello", "expected JSON on line 1"),
    "truncated": (lines([right()[0]])[:200], "expected JSON on line 1"),
    "truncated later": (lines(right()[:2])[:-200], "expected JSON on line 2"),
    "NaN": ('{"runs": NaN}', "numbers on line 1 of .* but it has NaN"),
    "infinity": ('{"runs": -Infinity}', "but it has -Infinity"),
    "a number of thousands of digits": ('{"runs": ' + "9" * 5000 + "}", "expected JSON on line 1"),
    "a float beyond all": ('{"runs": [], "served": [1e999, 1]}', "at served.0"),
    "a key twice": ('{"runs": [], "runs": []}', "every key once on line 1 of .* but 'runs' is there twice"),
    "a NUL": (b'{"runs": [\0]}', "expected JSON on line 1"),
    "nothing but NUL": (b"\0" * 100, "expected JSON on line 1"),
    "no UTF-8": (b'{"runs": "\xff"}', "text in UTF-8 on line 1"),
    "UTF-16": ('{"runs": []}'.encode("utf-16"), "text in UTF-8"),
    "nested deep": ('{"runs": ' + "[" * 200 + "]" * 200 + "}", "nested at most 100 deep"),
    "nested very deep": ('{"runs": ' + "[" * 200_000 + "]" * 200_000 + "}", "nested at most 100 deep"),
    "a long line": (b" " * (LINE_BYTES_MAX + 1), "lines of at most 33,554,432 bytes"),
}


@pytest.mark.parametrize("name", WRONG_TEXTS)
def test_a_text_that_is_no_history_is_told_with_its_line(written: Written, name: str) -> None:
    text, expected = WRONG_TEXTS[name]
    with pytest.raises(HistoryError, match=expected) as raised:
        check_file(written(text))
    assert len(str(raised.value)) < 1000
