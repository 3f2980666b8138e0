"""What a line of the log means, whatever stands in its names and values."""

from collections.abc import Iterator

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Json

from keepfact.fault_injection.wal import UNCHANGED, Action, Message, Value, Witness
from keepfact.fault_injection.wal.decoding import Begin, Change, Commit, UnreadableLineError, read

PIECES = ["'", '"', "]:", "[text]:'", "\n", "\\", " new-tuple: id[integer]:1", "null", ", sz: 3 content:", "é", "🜁", ""]
TEXTS = st.lists(
    st.sampled_from(PIECES) | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=9),
    max_size=4,
).map("".join)
NAMES = TEXTS.filter(lambda name: 0 < len(name.encode()) < 64)


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        ("BEGIN 745", Begin(745)),
        ("COMMIT 745", Commit()),
        ("message: transactional: 1 prefix: keepfact, sz: 10 content:work:claim", Message("keepfact", "work:claim")),
        ("message: transactional: 0 prefix: p, sz: 2 content:é", Message("p", "é", is_transactional=False)),
        (
            "message: transactional: 1 prefix: a, sz: 9 content:b, sz: 2 content:\nc",
            Message("a, sz: 9 content:b", "\nc"),
        ),
        (
            'table s."T "": INSERT: x": INSERT: id[integer]:-1 '
            """"a]b"[s."t]"[]]:'{''}' c[bit varying]:B'' d["char"]:null""",
            Change(
                Action.INSERT, (("s", 'T ": INSERT: x'),), {}, {"id": "-1", "a]b": "{'}", "c": "", "d": None}
            ),
        ),
        (
            "table s.t: UPDATE: old-key: id[integer]:1 new-tuple: id[integer]:2 big[text]:unchanged-toast-datum",
            Change(Action.UPDATE, (("s", "t"),), {"id": "1"}, {"id": "2", "big": UNCHANGED}),
        ),
        ("table s.t: DELETE: id[bigint]:7", Change(Action.DELETE, (("s", "t"),), {"id": "7"}, {})),
        ("table s.t: DELETE: (no-tuple-data)", Change(Action.DELETE, (("s", "t"),), {}, {})),
        (
            'table s.a, s."b, s.c": TRUNCATE: restart_seqs cascade',
            Change(Action.TRUNCATE, (("s", "a"), ("s", "b, s.c")), {}, {}),
        ),
    ],
)  # fmt: skip
def test_a_line_means_one_thing(line: str, meaning: object) -> None:
    assert read(line) == meaning


@pytest.mark.parametrize(
    "line",
    [
        "table s.t: INSERT: id[integer]:1 and more",
        "table s.t: INSERT: a[text]:'open",
        "table s.t: UPDATE: old-key: id[integer]:1",
        "table s.t: MERGE: id[integer]:1",
        "table s.t: TRUNCATE: everything",
        "message: transactional: 1 prefix: p, sz: 3 content:longer",
        "streaming",
        "",
    ],
)
def test_a_line_that_cannot_be_read_is_an_error(line: str) -> None:
    with pytest.raises(UnreadableLineError, match="expected a line as test_decoding writes it"):
        read(line)


@pytest.fixture(scope="module")
def witness(dsn: str) -> Iterator[Witness]:
    with psycopg.connect(dsn, autocommit=True) as database:
        database.execute("""
            create domain "a ]:'domain" as text;
            create table "Hostile ""table" (
              id integer primary key, "a]:b ""c" text, several text[], said json, "old-key" "a ]:'domain",
              bits bit varying, number double precision, truth boolean, bytes bytea
            )
        """)
    with Witness(dsn) as witness:
        yield witness


Rows = st.lists(
    st.tuples(
        TEXTS,
        st.lists(TEXTS, max_size=3),
        st.lists(TEXTS, max_size=2),
        st.none() | TEXTS,
        st.text("01", max_size=5),
        st.none() | st.floats(),
        st.booleans(),
        st.binary(max_size=5),
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=30, deadline=None, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=Rows, prefix=NAMES, content=TEXTS)
def test_the_log_gives_back_whatever_was_written(
    database: psycopg.Connection, witness: Witness, rows: list[tuple[object, ...]], prefix: str, content: str
) -> None:
    with database.transaction():
        database.execute('delete from "Hostile ""table"')
        database.execute("select pg_logical_emit_message(true, %s, %s)", [prefix, content])
        for number, row in enumerate(rows):
            said = Json(row[2])
            values = [number, row[0], row[1], said, *row[3:]]
            database.execute('insert into "Hostile ""table" values (%s, %s, %s, %s, %s, %s, %s, %s, %s)', values)
    stored = database.execute("""
        select id::text, "a]:b ""c", several::text, said::text, "old-key", bits::text, number::text,
          truth::text, bytes::text
        from "Hostile ""table" order by id
    """).fetchall()
    [transaction] = witness.writes()
    inserted: list[tuple[Value, ...]] = [
        tuple(row.values.values()) for row in transaction.rows if row.action is Action.INSERT
    ]
    assert inserted == stored
    assert transaction.said(prefix) == (content,)
