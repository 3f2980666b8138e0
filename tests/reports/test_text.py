"""Text from outside shows, whatever is in it."""

import unicodedata
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from keepfact.reports.text import counted, visible


def test_plain_text_stays_as_it_is() -> None:
    assert visible("Die Kosten: 3 €, “offen” – 你好 שלום") == "Die Kosten: 3 €, “offen” – 你好 שלום"


def test_what_cannot_be_seen_is_spelled_out() -> None:
    assert visible("a\x00b\x1b[31mc\u202ed\u200be\nf") == "a⟨U+0000⟩b⟨U+001B⟩[31mc⟨U+202E⟩d⟨U+200B⟩e⟨U+000A⟩f"


def test_a_long_text_is_cut_where_a_reader_sees_it() -> None:
    assert visible("x" * 1_500, 20) == "x" * 20 + " … 1,480 more characters"


def test_a_text_of_just_the_greatest_length_is_whole() -> None:
    assert visible("x" * 20, 20) == "x" * 20


@given(st.text(st.characters(exclude_categories=()), max_size=60))
def test_whatever_comes_in_what_goes_out_is_visible_and_fits_into_xml(text: str) -> None:
    shown = visible(text)
    assert not any(unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"} for character in shown)
    element = ElementTree.Element("text")
    element.text = shown
    assert (ElementTree.fromstring(ElementTree.tostring(element, encoding="unicode")).text or "") == shown


def test_one_is_not_many() -> None:
    assert [counted(1, "rule"), counted(0, "rule"), counted(2_000, "story", "stories")] == [
        "1 rule",
        "0 rules",
        "2,000 stories",
    ]
