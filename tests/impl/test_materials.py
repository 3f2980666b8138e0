"""Findings are handed over as far as their reader may read all that they rest on; nothing that acts comes along."""

import hashlib

import psycopg
import pytest
from psycopg import sql

from keepfact.impl.outcomes import Done, Refused
from keepfact.impl.prepared import Value

from . import stages as at
from . import stages_of_people as people
from .driving import Driver
from .stages_of_people import source_of
from .successes import MATERIAL


def _saves(run: Driver, material: str, **fields: Value) -> None:
    at.done(run.do("save_material", **{**MATERIAL, "material": material, **fields}))


def _grants(run: Driver, *sources: str, user: str = "reader") -> None:
    for source in sources:
        at.done(run.do("grant", source=source, user_=user))


def _continues(run: Driver, source: Driver, user: str = "reader") -> list[tuple[str, str]]:
    """What the continuation is handed, each with its label."""
    at.done(run.do("continue", source=source.run, user_=user, contract="settle", budget_cents=100))
    return [(one["material"], one["label"]) for one in run.view["inherited"]]


@pytest.fixture
def source(alone: Driver) -> Driver:
    """A run that saves findings, to be continued by `alone`."""
    return at.running(source_of(alone))


def test_a_finding_is_kept_with_its_lineage(alone: Driver) -> None:
    at.running(alone)
    _saves(alone, "m")
    _saves(alone, "n", derived_from=("m",), replaces="m", judgement=True, as_of=None)
    assert alone.view["materials"][1] == {
        "material": "n", "source": "library", "digest": "d", "fence": 1, "as_of": None, "fresh_seconds": 60,
        "derived_from": ["m"], "replaces": "m", "judgement": True,
    }  # fmt: skip


def test_a_continuation_begins_afresh_and_says_what_it_continues(alone: Driver, source: Driver) -> None:
    source.with_call("open").with_call("known")
    at.done(source.do("record_answer", call="known", answer="yes", cost_cents=5))
    at.done(source.do("spawn", spawn="s", child=f"{source.run}-child", budget_cents=1))
    at.done(source.do("fail"))
    before = source.view
    _continues(alone, source)
    shown = {
        name: alone.view[name] for name in ("state", "fence", "continues", "open_calls", "known_cents", "held_cents")
    }
    assert shown == {
        "state": "queued",
        "fence": 0,
        "continues": source.run,
        "open_calls": [source.id_of("open")],
        "known_cents": 0,
        "held_cents": 0,
    }
    assert [alone.view[name] for name in ("calls", "waits", "children", "materials", "publications")] == [[]] * 5
    assert source.view == before


def test_each_finding_is_labelled_as_what_it_is(alone: Driver, source: Driver) -> None:
    _grants(alone, "library")
    _saves(source, "old")
    _saves(source, "new", replaces="old")
    _saves(source, "stale", fresh_seconds=0)
    _saves(source, "concluded", judgement=True)
    _saves(source, "stale conclusion", judgement=True, fresh_seconds=0)
    at.done(source.do("fail"))
    assert _continues(alone, source) == [
        ("old", "superseded"),
        ("new", "current"),
        ("stale", "stale"),
        ("concluded", "judgement"),
        ("stale conclusion", "stale"),
    ]


def test_a_finding_is_fresh_to_the_second(alone: Driver, source: Driver) -> None:
    _grants(alone, "library")
    _saves(source, "m", fresh_seconds=20)
    _saves(source, "n", fresh_seconds=21)
    at.done(source.later(20).do("fail"))
    assert _continues(alone, source) == [("m", "stale"), ("n", "current")]


def test_only_what_can_be_traced_and_read_all_the_way_back_is_handed_over(alone: Driver, source: Driver) -> None:
    _grants(alone, "library", "web")
    _saves(source, "untraceable", as_of=None)
    _saves(source, "secret", source="archive")
    _saves(source, "plain")
    _saves(source, "on plain", source="web", derived_from=("plain",))
    _saves(source, "on secret", source="web", derived_from=("plain", "secret"))
    _saves(source, "on untraceable", derived_from=("untraceable",))
    _saves(source, "far from secret", derived_from=("on secret",))
    at.done(source.do("fail"))
    assert [material for material, _ in _continues(alone, source)] == ["plain", "on plain"]


def test_another_users_grants_do_not_count(alone: Driver, source: Driver) -> None:
    _grants(alone, "library", user="somebody else")
    _saves(source, "m")
    at.done(source.do("fail"))
    assert _continues(alone, source) == []


def test_what_was_handed_over_is_handed_on_under_its_first_run(alone: Driver, source: Driver) -> None:
    _grants(alone, "library")
    _saves(source, "m")
    at.done(source.do("fail"))
    second = Driver(alone.store, alone.admin, f"{alone.run}-second")
    _continues(second, source)
    second.granted("claim", worker="w")
    _saves(second, "n")
    at.done(second.do("fail"))
    assert _continues(alone, second) == [("m", "current"), ("n", "current")]
    assert [one["run"] for one in alone.view["inherited"]] == [source.run, second.run]
    assert alone.granted("claim", worker="w").do("read_material", material="m") == Done()


def test_reading_is_counted_and_bears_no_call(alone: Driver) -> None:
    people.handed_over(alone)
    assert [alone.do("read_material", material="m") for _ in range(2)] == [Done(), Done()]
    assert alone.view["inherited"] == [
        {"material": "m", "run": source_of(alone).run, "label": "current", "reads": 2},
    ]
    assert alone.view["calls"] == []


def test_a_grant_that_is_withdrawn_ends_reading_at_once_and_one_given_again_begins_it(alone: Driver) -> None:
    people.revoked(alone)
    assert alone.do("read_material", material="m") == Refused("not_readable")
    _grants(alone, "library")
    assert alone.do("read_material", material="m") == Done()


def test_a_withdrawn_grant_reaches_what_was_derived(alone: Driver, source: Driver) -> None:
    _grants(alone, "library", "web")
    _saves(source, "m")
    _saves(source, "n", source="web", derived_from=("m",))
    at.done(source.do("fail"))
    assert [material for material, _ in _continues(alone, source)] == ["m", "n"]
    alone.granted("claim", worker="w")
    at.done(alone.do("revoke", source="library", user_="reader"))
    assert alone.do("read_material", material="n") == Refused("not_readable")


def test_a_user_who_is_granted_a_source_later_gets_nothing_that_was_not_handed_over(
    alone: Driver, source: Driver
) -> None:
    _saves(source, "m")
    at.done(source.do("fail"))
    assert _continues(alone, source) == []
    _grants(alone, "library")
    assert alone.granted("claim", worker="w").do("read_material", material="m") == Refused("no_such_material")


def test_granting_twice_is_granting_once(alone: Driver) -> None:
    for _ in range(2):
        _grants(alone, "library")
    assert alone.store.survey([])["readers"] == [{"source": "library", "user": "reader"}]
    assert alone.do("revoke", source="library", user_="reader") == Done()
    assert alone.store.survey([])["readers"] == []


def test_a_long_lineage_is_followed_to_its_end(alone: Driver, source: Driver) -> None:
    _grants(alone, "library")
    _saves(source, "0", source="archive")
    for number in range(1, 30):
        _saves(source, str(number), derived_from=(str(number - 1),))
    at.done(source.do("fail"))
    assert _continues(alone, source) == []


def test_a_text_that_was_read_stands_nowhere_but_among_the_payloads(
    alone: Driver, source: Driver, trusted_admin: psycopg.Connection
) -> None:
    """An answer that kept it would tell it again, after a purge and after the grant was withdrawn."""
    _grants(alone, "library")
    text = f"found by {source.run}"
    at.done(
        source.do(
            "save_material",
            material="m",
            source="library",
            digest=hashlib.sha256(text.encode()).hexdigest(),
            as_of="2026-06-30",
            fresh_seconds=60,
            content=text,
        )
    )
    at.done(source.do("fail"))
    _continues(alone, source)
    alone.granted("claim", worker="w")
    at.done(alone.do("read_material", material="m"))
    assert alone.view["history"][-1]["payload"]["content"] == text
    tables = trusted_admin.execute("select tablename from pg_tables where schemaname = 'keepfact'").fetchall()
    count = "select count(*) from keepfact.{} as row where position(%s in row::text) > 0"
    holding = {
        name
        for (name,) in tables
        if trusted_admin.execute(sql.SQL(count).format(sql.Identifier(name)), [text]).fetchone() != (0,)
    }
    assert holding == {"payloads"}
