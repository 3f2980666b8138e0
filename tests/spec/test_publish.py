"""The published page says what the book says."""

from pathlib import Path

import pytest

from keepfact.spec import publish
from keepfact.spec.book import BOOK


def test_the_published_page_is_not_stale() -> None:
    assert publish.RULES.read_text(encoding="utf-8") == publish.page(BOOK), "run `python -m keepfact.spec.publish`"


def test_the_page_holds_every_rule_once_and_its_sentence() -> None:
    lines = publish.page(BOOK).splitlines()
    for rule in BOOK.rules:
        assert lines[lines.index(f"### {rule.id}") + 2] == rule.sentence
        assert lines.count(f"### {rule.id}") == 1


def test_the_page_says_what_is_special_about_a_rule() -> None:
    lines = publish.page(BOOK).splitlines()
    small_print = lines[lines.index("### SETTLE.1") + 4]
    assert "only settle" in small_print
    assert BOOK.rule("SETTLE.1").digest in small_print
    assert "only where servers outside keep the truth" in lines[lines.index("### EFFECT.4") + 4]
    assert "implies prefix continuation (PC)" in lines[lines.index("### HISTORY.3") + 4]


def test_the_page_holds_the_authority_table_and_the_reasons() -> None:
    lines = publish.page(BOOK).splitlines()
    assert "| recover | granted, lost, sealed, ended |" in lines
    assert "| observe | nothing |" in lines
    assert "| `stale_fence` | FENCE.2 `stale_writes_change_nothing` |" in lines


def test_checking_a_fresh_page_is_quiet_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = tmp_path / "RULES.md"
    assert publish.main([], rules) == 0
    before = rules.read_bytes()
    capsys.readouterr()
    assert publish.main(["--check"], rules) == 0
    assert capsys.readouterr() == ("", "")
    assert rules.read_bytes() == before


def test_checking_a_stale_page_says_so_and_leaves_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = tmp_path / "RULES.md"
    rules.write_text(publish.page(BOOK).replace("is refused", "is lost"), encoding="utf-8")
    before = rules.read_bytes()
    assert publish.main(["--check"], rules) == 1
    said = capsys.readouterr().err
    assert "it is stale" in said
    assert "python -m keepfact.spec.publish" in said
    assert rules.read_bytes() == before


def test_a_page_that_is_missing_is_stale(tmp_path: Path) -> None:
    assert publish.main(["--check"], tmp_path / "RULES.md") == 1
