"""What a text is: which statements, and what they do to their transaction."""

import pytest

from keepfact.fault_injection.pgwire.statements import SHOWN_CHARACTERS, Course, Kind, shortened, split


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("select 1", ["select 1"]),
        ("select 1; select 2;", ["select 1", " select 2"]),
        ("select ';'; select 2", ["select ';'", " select 2"]),
        ("select 'it''s;'; select 2", ["select 'it''s;'", " select 2"]),
        (r"select E'\';'; select 2", [r"select E'\';'", " select 2"]),
        ('select ";"; select 2', ['select ";"', " select 2"]),
        ("do $$ begin; end $$; commit", ["do $$ begin; end $$", " commit"]),
        ("do $a$ $$;$$ $a$; commit", ["do $a$ $$;$$ $a$", " commit"]),
        ("select 1 -- ; no\n; commit", ["select 1 -- ; no\n", " commit"]),
        ("select 1 /* ; no */; commit", ["select 1 /* ; no */", " commit"]),
        ("; ;", ["; ;"]),
        ("", [""]),
    ],
)
def test_a_query_is_split_where_a_statement_ends_and_nowhere_else(text: str, statements: list[str]) -> None:
    assert split(text) == statements


@pytest.mark.parametrize(
    ("status", "texts", "kind"),
    [
        ("I", ["insert"], Kind.AUTOCOMMIT),
        ("I", ["insert", "insert"], Kind.AUTOCOMMIT),
        ("I", ["begin"], Kind.STATEMENT),
        ("I", ["/* why */ START  TRANSACTION read only"], Kind.STATEMENT),
        ("T", ["insert"], Kind.STATEMENT),
        ("T", ["COMMIT"], Kind.COMMIT),
        ("T", ["end work;"], Kind.COMMIT),
        ("T", ["-- done\ncommit and chain"], Kind.COMMIT),
        ("T", ["prepare transaction 'x'"], Kind.COMMIT),
        ("T", ["rollback"], Kind.ROLLBACK),
        ("T", ["abort"], Kind.ROLLBACK),
        ("T", ["rollback to savepoint s"], Kind.STATEMENT),
        ("T", ["rollback work to s"], Kind.STATEMENT),
        ("E", ["commit"], Kind.ROLLBACK),
        ("I", ["commit prepared 'x'"], Kind.AUTOCOMMIT),
        ("I", ["rollback prepared 'x'"], Kind.AUTOCOMMIT),
        ("I", ["begin", "insert", "commit"], Kind.COMMIT),
        ("I", ["insert", "commit"], Kind.COMMIT),
        ("I", ["begin", "insert", "rollback"], Kind.ROLLBACK),
        ("I", ["begin", "insert"], Kind.STATEMENT),
        ("T", ["rollback", "insert"], Kind.AUTOCOMMIT),
        ("I", ["committee_report()"], Kind.AUTOCOMMIT),
    ],
)
def test_what_statements_will_do_is_foreseen(status: str, texts: list[str], kind: Kind) -> None:
    assert Course(status).foresee(texts, ends_group=True) is kind


def test_before_sync_nothing_commits_by_itself_and_with_it_what_came_before_does() -> None:
    course = Course()
    assert course.foresee(["insert"], ends_group=False) is Kind.STATEMENT
    assert course.foresee([], ends_group=True) is Kind.AUTOCOMMIT


def test_a_statement_is_shown_on_one_line_that_is_not_too_long() -> None:
    assert shortened(["select\n  1", " select 2"]) == "select 1; select 2"
    assert len(shortened(["x" * 10_000])) == SHOWN_CHARACTERS
