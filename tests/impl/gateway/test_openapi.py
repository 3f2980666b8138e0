"""The document says all that is so: what it allows is not refused, what it forbids is, and no answer is unheard of."""

from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import CheckContext
from schemathesis.core.transport import Response
from schemathesis.specs.openapi.checks import positive_data_acceptance

from keepfact.impl.gateway.app import OF_STORE
from keepfact.impl.gateway.offered import offered
from keepfact.impl.gateway.openapi import document
from keepfact.impl.gateway.settings import EntryPoint
from keepfact.impl.gateway.table import COMMANDS, Entry
from keepfact.impl.installation import Installation

from .processes import started
from .served import ALL, TOKEN, Client

EXAMPLES = 10
LARGE = {
    "KEEPFACT_REQUESTS_PER_SECOND": "1e6",
    "KEEPFACT_REQUESTS_BURST": "1000000",
    "KEEPFACT_STREAM_SECONDS_MAX": "0.01",  # a stream of a run that goes on would not end
}


@pytest.fixture(scope="module")
def url(installation: Installation, admin: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with started(installation, tmp_path_factory.mktemp("gateway"), **LARGE) as process:
        yield process.url
        assert not [line for line in process.told() if line["level"] == "error"]


API = schemathesis.openapi.from_dict(document(offered(OF_STORE, ALL)))


def refused_by_the_store_only(_: CheckContext, response: Response, case: schemathesis.Case) -> None:
    """What is well formed. A refusal of the store names a rule, one of the gateway does not."""
    is_well_formed = case.meta is not None and case.meta.generation.mode.is_positive
    if is_well_formed and response.status_code in (400, 413, 415, 422):
        assert response.json().get("rule"), f"the gateway refused what it documents: {response.text}"


@API.parametrize()
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_answer_is_as_documented(case: schemathesis.Case, url: str) -> None:
    case.call_and_validate(
        url,
        headers={"Authorization": f"Bearer {TOKEN}"},
        additional_checks=[refused_by_the_store_only],
        excluded_checks=[positive_data_acceptance],
    )


def test_the_document_tells_of_all_that_is_served(client: Client) -> None:
    told = client.get("/openapi.json").json()
    assert told == API.raw_schema
    assert told["openapi"] == "3.1.0"
    assert {"/v1/runs/{run}", "/v1/runs/{run}/stream", "/v1/runs/{run}/claim", "/metrics"} <= set(told["paths"])
    assert "/v1/runs/{run}/no-such" not in told["paths"]


def test_each_operation_has_a_name_of_its_own_and_says_what_it_does() -> None:
    every = document(offered(_everything(), EntryPoint.__args__))
    operations = [operation for path in every["paths"].values() for operation in path.values()]
    assert len({operation["operationId"] for operation in operations}) == len(operations) == len(COMMANDS) + 8
    assert all(operation["summary"] for operation in operations)


def test_what_is_referred_to_is_there() -> None:
    every = document(offered(_everything(), EntryPoint.__args__))
    missing = {name for name in _references(every) if name not in every["components"]["schemas"]}
    assert missing == set()


def _everything() -> dict[str, tuple[str, str]]:
    """A store that offers all commands, each with all its fields."""
    return {entry.name: (str(entry.scope), _parameters(entry)) for entry in COMMANDS}


def _parameters(entry: Entry) -> str:
    assert entry.body is not None
    names = {"command_id", *entry.path_fields, *entry.fixed, *entry.body.model_fields}
    return ", ".join(f"{name} text" for name in names)


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
