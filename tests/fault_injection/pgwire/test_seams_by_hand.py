"""Known sequences of messages as drivers elsewhere send them, written by hand, and the seams that the proxy finds."""

import pytest

from keepfact.fault_injection.pgwire import Proxy, named

from .conftest import FAILED, OWN, Table, told
from .raw import FLUSH, SYNC, Raw, bind, execute, message, parse, query, types, unnamed

RAW: list[tuple[str, list[bytes], list[str], str]] = [
    (
        "a driver that begins with its first statement",
        [unnamed("BEGIN") + unnamed("insert into t values (1)") + SYNC, unnamed("COMMIT") + SYNC],
        ["BEGIN; insert into t values (1) | statement", "COMMIT | commit"],
        "12nC12nCZ 12nCZ",
    ),
    (
        "a statement with a name, prepared on its own",
        [parse("insert into t values (1)", "s") + SYNC, bind("s") + execute() + SYNC, message(b"C", b"Ss\0") + SYNC],
        [f"insert into t values (1) | {OWN}"],
        "1Z 2CZ 3Z",
    ),
    (
        "several groups sent ahead",
        [unnamed("begin") + SYNC + unnamed("insert into t values (1)") + SYNC + query("commit")],
        ["begin | statement", "insert into t values (1) | statement", "commit | commit"],
        "12nCZ12nCZCZ",
    ),
    (
        "a failure, and what was sent after it in its group",
        [unnamed("select 1 / 0") + unnamed("insert into t values (1)") + SYNC],
        [f"select 1 / 0; insert into t values (1) | {OWN} -> {FAILED}"],
        "1EZ",
    ),
    (
        "a failure between a flush and a sync",
        [unnamed("select 1 / 0") + FLUSH + unnamed("insert into t values (1)") + FLUSH + SYNC],
        [f"select 1 / 0 | statement -> {FAILED}"],
        "1EZ",
    ),
    (
        "a portal read in parts",
        [
            unnamed("begin") + SYNC,
            parse("select generate_series(1, 3)") + bind(portal="p") + execute("p", 2) + SYNC,
            execute("p", 2) + SYNC,
            query("rollback"),
        ],
        [
            "begin | statement",
            "select generate_series(1, 3) | statement",
            "select generate_series(1, 3) | statement",
            "rollback | rollback",
        ],
        "12nCZ 12DDsZ DCZ CZ",
    ),
    (
        "data copied in, with a sync sent ahead that the server does not heed",
        [unnamed("copy t from stdin") + SYNC + message(b"d", b"1\n") + message(b"c") + SYNC],
        [f"copy t from stdin | {OWN}"],
        "12nGCZ",
    ),
    (
        "data copied in after a flush",
        [unnamed("copy t from stdin") + FLUSH + message(b"d", b"1\n") + message(b"c") + SYNC],
        [f"copy t from stdin | statement -> {OWN}"],
        "12nGCZ",
    ),
    (
        "data that the server does not take",
        [query("copy t from stdin") + message(b"d", b"none\n") + message(b"c") + query("insert into t values (1)")],
        [f"copy t from stdin | {OWN} -> {FAILED}", f"insert into t values (1) | {OWN}"],
        "GEZCZ",
    ),
    ("nothing", [query(""), unnamed("") + SYNC], [f"(empty) | {OWN}"] * 2, "IZ 12nIZ"),
    ("a sync alone", [SYNC], [], "Z"),
]


@pytest.mark.parametrize(("sent", "seams", "answered"), [pytest.param(*case[1:], id=case[0]) for case in RAW])
def test_seams_of_messages_written_by_hand(
    sent: list[bytes], seams: list[str], answered: str, proxy: Proxy, parts: dict[str, str], table: Table
) -> None:
    with Raw(proxy.address, parts, application_name="by hand") as raw:
        raw.ask(query("create temporary table t (n integer primary key)"))
        watch = proxy.begin(named("by hand"))
        heard = []
        for messages, answer in zip(sent, answered.split(), strict=True):
            raw.socket.sendall(messages)
            heard.append("".join(types(raw.until(b"Z")) for _ in range(answer.count("Z"))))
    assert told(watch, table) == seams
    assert " ".join(heard) == answered
