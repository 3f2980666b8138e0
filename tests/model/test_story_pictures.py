"""A counterexample is drawn step by step, with the last one marked, and no text can break out of it."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from keepfact.model.explore import Broken
from keepfact.model.pictures import story_of
from keepfact.model.pictures.names import in_full, name_of, printable
from keepfact.model.pictures.rows import Row, Story
from keepfact.model.pictures.story_svg import story_svg
from keepfact.model.pictures.svg import width_of, wrapped
from keepfact.model.scopes.scope import RUN as MAIN
from keepfact.spec.book import BOOK
from keepfact.spec.vocabulary import (
    Lost,
    Observation,
    Reason,
    Refused,
    Step,
)

from .drawn import SVG, all_text, broken_by, hostile_story
from .play import SUBMIT, intend, publish

NAMES = ["a_lapsed_lease_may_write", "recovery_clears_the_partial_body", "command_ids_are_forgotten"]


@pytest.mark.parametrize("name", NAMES)
def test_every_step_of_a_counterexample_is_told_and_the_last_one_is_marked(name: str) -> None:
    story = story_of(broken_by(name))
    root = ElementTree.fromstring(story_svg(story))
    steps = [group for group in root.iter(f"{SVG}g") if (group.get("class") or "").startswith("step")]
    shown = " ".join(all_text(story_svg(story)).split())
    assert [(group.get("class") or "").split()[1:] for group in steps] == [[]] * (len(story.rows) - 1) + [["bad"]]
    for number, (row, edge) in enumerate(zip(story.rows, broken_by(name)[0].path, strict=True), 1):
        assert row.number == number
        assert row.said.startswith(name_of(edge.cause))
        assert all(words in shown for words in (row.asker, row.said, row.came_back or "", row.stands, *row.details))
    for broken in broken_by(name):
        assert f"This breaks {broken.rule}: {BOOK.rule(broken.rule).sentence}" in shown


def test_a_story_says_who_asked_what_came_back_and_what_became_of_the_run() -> None:
    *_, published, time, recovered = story_of(broken_by("recovery_clears_the_partial_body")).rows
    assert (published.asker, published.said, published.came_back) == (
        "work",
        "publish: fence 1, body, qualified",
        "done",
    )
    assert published.details == ("body 1, qualified", "writes published")
    assert (time.asker, time.said, time.came_back, time.stands) == (
        "clock",
        "tick: seconds 1",
        None,
        "running, lease lapsed",
    )
    assert recovered.details == ("gone: body 1, qualified", "writes ended")


def test_a_repeat_is_told_as_one() -> None:
    *_, last = story_of(broken_by("command_ids_are_forgotten")).rows
    assert last.said.endswith(", again under the same command id")


def test_rules_that_the_same_step_broke_share_a_picture() -> None:
    story = story_of(broken_by("recovery_clears_the_partial_body"))
    assert story.title == "How HISTORY.4 and SETTLE.3 are broken, in 5 steps"
    assert story_of(broken_by("recovery_clears_the_partial_body")[:1]).title == "How HISTORY.4 is broken, in 5 steps"


def test_nothing_broken_is_no_picture() -> None:
    with pytest.raises(ValueError, match="at least one broken rule"):
        story_of([])


def test_an_answer_that_never_came_is_told() -> None:
    (row,) = story_of([Broken("ENTRY.5", (Step(Observation(), SUBMIT, Lost(), Observation()),))]).rows
    assert (row.came_back, row.stands, row.details) == ("no answer", "absent", ("nothing changed",))


def test_a_refusal_is_told_with_what_stands_in_the_way() -> None:
    refused = Refused(Reason.BUNDLE_NEEDED, (MAIN,))
    (row,) = story_of([Broken("ENTRY.5", (Step(Observation(), SUBMIT, refused, Observation()),))]).rows
    assert row.came_back == "refused: bundle needed because of run"


def test_a_hostile_command_cannot_break_out_of_a_story() -> None:
    picture = story_svg(hostile_story())
    assert not list(ElementTree.fromstring(picture).iter(f"{SVG}script"))
    assert "\\x00" in picture
    picture.encode()


def test_what_is_secret_is_not_shown() -> None:
    told = in_full(replace(intend(), credential="hunter2"), MAIN)
    assert "with a credential" in told
    assert "hunter2" not in told


def test_long_texts_are_cut_and_wrapped() -> None:
    story = Story((Row(1, "work", "publish: " + "x" * 3000, None, "y" * 300, ("z" * 300,)),), (("ENTRY.5", "w" * 500),))
    root = ElementTree.fromstring(story_svg(story))
    assert max(width_of(line.text or "") for line in root.iter(f"{SVG}text")) < float(root.get("width") or 0)
    assert len(in_full(replace(publish(), body="x" * 100_000), MAIN)) < 100


@pytest.mark.parametrize("content", ["", "word", "two words", "x" * 100, "長" * 30, "a " * 50 + "y" * 70])
def test_wrapped_lines_are_no_wider_and_lose_nothing(content: str) -> None:
    lines = wrapped(content, 100)
    assert all(width_of(line) <= 100 for line in lines)
    assert "".join("".join(lines).split()) == "".join(content.split())


def test_what_cannot_be_printed_stands_as_its_escape() -> None:
    assert printable("a\0b\nc\ud800d\u202ee é") == "a\\x00b\\nc\\ud800d\\u202ee é"
