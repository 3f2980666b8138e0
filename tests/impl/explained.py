"""A session at a door of the store in which the server tells how it executes each statement, those in functions too."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql

from keepfact.impl.installation import Installation
from keepfact.impl.prepared import Value, ask

Node = dict[str, Any]

TELLING = {
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_nested_statements": "on",
    "auto_explain.log_analyze": "on",
    "auto_explain.log_timing": "off",
    "auto_explain.log_format": "json",
    "auto_explain.log_level": "notice",
    "client_min_messages": "notice",
}


class Explained:
    """One session. What it planned once is used again, as in any session of the store."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection
        self._names: dict[str, bytes] = {}
        self._told: list[str] = []
        connection.add_notice_handler(lambda said: self._told.append(said.message_primary or ""))

    def ask(self, statement: str, values: Sequence[Value]) -> tuple[str, list[Node]]:
        """The answer, and the nodes of the plans of all statements that were executed for it."""
        self._told.clear()
        answer = ask(self._connection, self._names, statement, values)
        plans = [json.loads(said.partition("plan:")[2]) for said in self._told if "plan:" in said]
        return answer, [node for plan in plans for node in _nodes(plan["Plan"])]


@contextmanager
def explained(installation: Installation, door: str) -> Iterator[Explained]:
    """Such a session of the login of an entry point; the installation's server must let us load auto_explain."""
    with installation.admin_connection() as connection:
        connection.execute("load 'auto_explain'")
        for name, value in TELLING.items():
            connection.execute("select set_config(%s, %s, false)", [name, value])
        login = sql.Identifier(f"{installation.name}_{door}")
        connection.execute(sql.SQL("set session authorization {}").format(login))
        yield Explained(connection)


def rows_looked_at(node: Node) -> int:
    """How many rows a scan has met, those included that it did not want."""
    met = node["Actual Rows"] + node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
    return round(met * node["Actual Loops"])


def told(node: Node) -> tuple[str, ...]:
    """A scan in short: how, of what, with which index and conditions."""
    shown = (
        "Node Type",
        "Relation Name",
        "Index Name",
        "Index Cond",
        "Filter",
        "Actual Rows",
        "Rows Removed by Filter",
    )
    return tuple(str(node[name]) for name in shown if name in node)


def _nodes(plan: Node) -> Iterator[Node]:
    yield plan
    for part in plan.get("Plans", ()):
        yield from _nodes(part)
