"""The document says all that is so: what it allows is not refused, what it forbids is, and no answer is unheard of."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import psycopg
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from pydantic import BaseModel
from schemathesis.checks import CheckContext
from schemathesis.core.transport import Response
from schemathesis.specs.openapi.checks import positive_data_acceptance

from keepfact.impl.commands import BUNDLE, ENTRY_POINTS
from keepfact.impl.gateway import shown
from keepfact.impl.gateway.openapi import document
from keepfact.impl.gateway.table import ENTRIES, entries_at
from keepfact.impl.installation import Installation
from keepfact.impl.outcomes import Done
from keepfact.impl.store import Identity, Store

from ..driving import Driver
from .processes import started
from .served import ANYTHING, Client

SETTINGS = settings(
    max_examples=4, phases=[Phase.generate], deadline=None, suppress_health_check=list(HealthCheck), database=None
)
"""Without shrinking: what is found is written down as a test of its own."""
ESCAPED_BYTE = re.compile("%[0-9A-Fa-f]{2}")
LARGE = {
    "KEEPFACT_REQUESTS_PER_SECOND": "1e6",
    "KEEPFACT_REQUESTS_BURST": "1000000",
    "KEEPFACT_STREAM_SECONDS_MAX": "0.01",  # a stream of a run that goes on would not end
}


ASKING = Identity("anything", "chance")


@dataclass
class Asked:
    """A gateway of whose tenant nobody else asks for anything, and what its store holds."""

    url: str
    admin: psycopg.Connection
    store: Store
    held: str = ""

    def run(self) -> str:
        """A new run under fence 1; after this, what the store holds is known."""
        self.undo_migrations()
        driver = Driver(self.store, self.admin)
        assert driver.do("submit", contract="settle", budget_cents=100, bundle=BUNDLE) == Done()
        driver.granted("claim", worker="w")
        self.held = self.holds()
        return driver.run

    def undo_migrations(self) -> None:
        """Nobody else's workers are to notice what was asked here."""
        self.admin.execute("update keepfact.settings set schema_oldest = 1, schema_newest = 1")

    def holds(self) -> str:
        """A digest of all rows of all tables."""
        named = self.admin.execute(
            "select tablename from pg_tables where schemaname = 'keepfact' order by 1"
        ).fetchall()
        rows = " union all ".join(f"select '{name}' || t::text as row from keepfact.{name} t" for (name,) in named)
        (digest,) = self.admin.execute(
            f"select md5(string_agg(row, '' order by row)) from ({rows}) as all_rows"
        ).fetchone()
        return str(digest)

    def is_unchanged(self) -> bool:
        """Since it was asked last."""
        before, self.held = self.held, self.holds()
        return self.held == before


@pytest.fixture(scope="module")
def asked(
    installation: Installation, admin: psycopg.Connection, store: Store, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Asked]:
    with started(installation, tmp_path_factory.mktemp("gateway"), **LARGE) as process:
        asking = Asked(process.url, admin, store.speaking_for(ASKING))
        yield asking
        asking.undo_migrations()
        assert not [line for line in process.told() if line["level"] == "error"]


DOCUMENT = document(entries_at(ENTRY_POINTS))
API = schemathesis.openapi.from_dict(DOCUMENT)
WELL_FORMED = schemathesis.openapi.from_dict(
    DOCUMENT, config=schemathesis.Config.from_dict({"generation": {"mode": "positive"}})
)


def refused_by_the_store_only(_: CheckContext, response: Response, case: schemathesis.Case) -> None:
    """What is well formed. A refusal of the store names a rule, one of the gateway does not."""
    if _is_well_formed(case) and response.status_code in (400, 413, 415, 422):
        assert response.json().get("rule"), f"the gateway refused what it documents: {response.text}"


def _is_well_formed(case: schemathesis.Case) -> bool:
    """As JSON Schema has it; to Python, which makes texts from patterns, `$` is also before a line end at the end. What
    looks like an escaped byte in a path is sent as that byte.
    """
    values = [*case.path_parameters.values(), *(case.body.values() if isinstance(case.body, dict) else ())]
    texts = [text for value in values for text in (value if isinstance(value, list) else [value])]
    if any(isinstance(text, str) and text.endswith("\n") for text in texts):
        return False
    if any(ESCAPED_BYTE.search(value) for value in case.path_parameters.values() if isinstance(value, str)):
        return False
    return case.meta is not None and case.meta.generation.mode.is_positive


@API.parametrize()
@SETTINGS
def test_every_answer_is_as_documented_and_a_refusal_wrote_nothing(case: schemathesis.Case, asked: Asked) -> None:
    asked.is_unchanged()
    _ask(case, asked)


@WELL_FORMED.include(path_regex="/{run}/", method="POST").parametrize()
@SETTINGS
def test_so_it_is_for_a_run_that_is_there_and_at_work(case: schemathesis.Case, asked: Asked) -> None:
    """Which chance would not find: whatever else is said then reaches deeper into the store."""
    case.path_parameters["run"] = asked.run()
    if isinstance(case.body, dict) and "fence" in case.body:
        case.body["fence"] = 1
    _ask(case, asked)


def _ask(case: schemathesis.Case, asked: Asked) -> None:
    response = case.call_and_validate(
        asked.url,
        headers={"Authorization": f"Bearer {ANYTHING}"},
        additional_checks=[refused_by_the_store_only],
        excluded_checks=[positive_data_acceptance],
    )
    assert asked.is_unchanged() or response.status_code == 200


def test_the_document_tells_of_all_that_is_served(client: Client) -> None:
    told = client.get("/openapi.json").json()
    assert told == API.raw_schema
    assert told["openapi"] == "3.1.0"
    assert {"/v1/runs/{run}", "/v1/runs/{run}/stream", "/v1/runs/{run}/claim", "/metrics"} <= set(told["paths"])
    assert "/v1/runs/{run}/no-such" not in told["paths"]


def test_all_that_is_shown_of_a_run_is_told_of(client: Client) -> None:
    run = client.get(f"/v1/runs/{client.ended()}").json()
    listed = client.get("/v1/runs", params={"limit": 1}).json()["runs"][0]
    grant = client.do(f"/v1/runs/{client.admitted()}/claim", worker="w").json()["grant"]
    shapes: list[tuple[type[BaseModel], dict[str, object]]] = [
        (shown.Run, run),
        (shown.Delivered, run["delivered"]),
        (shown.Event, run["history"][0]),
        (shown.Listed, listed),
        (shown.Lease, grant),
    ]
    for model, content in shapes:
        assert content.keys() == model.model_fields.keys()
        model.model_validate(content, strict=True)


def test_each_operation_has_a_name_of_its_own_and_says_what_it_does() -> None:
    operations = [operation for path in DOCUMENT["paths"].values() for operation in path.values()]
    assert len({operation["operationId"] for operation in operations}) == len(operations) == len(ENTRIES)
    assert all(operation["summary"] for operation in operations)


def test_what_is_referred_to_is_there() -> None:
    missing = {name for name in _references(DOCUMENT) if name not in DOCUMENT["components"]["schemas"]}
    assert missing == set()


def _references(content: object) -> Iterator[str]:
    match content:
        case {"$ref": str(reference)}:
            yield reference.removeprefix("#/components/schemas/")
        case dict():
            for value in content.values():
                yield from _references(value)
        case list():
            for value in content:
                yield from _references(value)
