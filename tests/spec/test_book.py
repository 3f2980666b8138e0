"""The book is whole: every rule has an id and a sentence, every refusal a rule, every door a row."""

from dataclasses import replace

import pytest

from keepfact.spec.book import BOOK, Book
from keepfact.spec.chapter import SETTLE, Chapter, Rule
from keepfact.spec.entry_points import MAY_WRITE, RULE_OF
from keepfact.spec.vocabulary import Contract, EntryPoint, EventType, Reason, Step

from .steps import DONE, nothing, publish, run

ALL = pytest.mark.parametrize("rule", BOOK.rules, ids=lambda rule: rule.id)


def test_no_id_is_used_twice() -> None:
    assert len({rule.id for rule in BOOK.rules}) == len(BOOK.rules)


def test_no_name_is_used_twice() -> None:
    assert len({rule.name for rule in BOOK.rules}) == len(BOOK.rules)


@ALL
def test_a_sentence_is_a_sentence(rule: Rule) -> None:
    assert rule.sentence[0].isupper() or rule.sentence[0] == "`"
    assert rule.sentence.endswith(".")
    assert "\n" not in rule.sentence


@ALL
def test_an_id_names_its_chapter_and_leads_back_to_its_rule(rule: Rule) -> None:
    assert rule.id == f"{rule.chapter}.{rule.number}"
    assert BOOK.rule(rule.id) is rule


def test_rules_stand_in_the_order_of_chapters_and_numbers() -> None:
    chapters = [chapter.name for chapter in BOOK.chapters]
    places = [(chapters.index(rule.chapter), rule.number) for rule in BOOK.rules]
    assert places == sorted(places)


def test_every_reason_to_refuse_has_its_rule_in_the_book() -> None:
    assert set(RULE_OF) == set(Reason)
    assert set(RULE_OF.values()) <= {rule.id for rule in BOOK.rules}


def test_every_entry_point_has_its_row() -> None:
    assert set(MAY_WRITE) == set(EntryPoint)


def test_every_event_can_be_written_by_somebody_and_watching_writes_none() -> None:
    assert set().union(*MAY_WRITE.values()) == set(EventType)
    assert MAY_WRITE[EntryPoint.OBSERVE] == frozenset()


def says_yes(step: Step) -> bool | None:
    """Whatever happens is right."""
    return True


def test_a_chapter_refuses_a_number_twice() -> None:
    chapter = Chapter("TEST", "Of tests")
    chapter.rule(1)(says_yes)
    with pytest.raises(ValueError, match=r"expected TEST\.1 once, but it is published twice"):
        chapter.rule(1)(says_yes)


def test_a_chapter_refuses_a_rule_without_a_sentence() -> None:
    def says_nothing(step: Step) -> bool | None:
        return True

    with pytest.raises(ValueError, match=r"expected TEST\.2 to say its sentence in a docstring"):
        Chapter("TEST", "Of tests").rule(2)(says_nothing)


def test_a_rule_of_one_contract_is_silent_about_runs_under_another() -> None:
    chapter = Chapter("TEST", "Of tests")
    chapter.rule(1, contracts=SETTLE)(says_yes)
    settled, resumed = run(), run(contract=Contract.RESUME)
    assert chapter.rules[0].holds(nothing(publish(), settled, DONE)) is True
    assert chapter.rules[0].holds(nothing(publish(), resumed, DONE)) is None


def test_another_sentence_makes_another_digest_of_rule_and_book() -> None:
    def says_yes_otherwise(step: Step) -> bool | None:
        """Whatever happens is fine."""
        return True

    chapter, other = Chapter("TEST", "Of tests"), Chapter("TEST", "Of tests")
    chapter.rule(1)(says_yes)
    other.rule(1)(says_yes_otherwise)
    assert chapter.rules[0].digest != other.rules[0].digest
    assert Book((chapter,)).digest != Book((other,)).digest


def test_the_same_sentence_told_over_other_lines_is_the_same_rule() -> None:
    def says_yes_slowly(step: Step) -> bool | None:
        """Whatever happens
        is right.
        """
        return True

    chapter = Chapter("TEST", "Of tests")
    chapter.rule(1)(says_yes)
    other = Chapter("TEST", "Of tests")
    other.rule(1)(says_yes_slowly)
    assert replace(other.rules[0], name="says_yes", where=chapter.rules[0].where, holds=says_yes) == chapter.rules[0]
