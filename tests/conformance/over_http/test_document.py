"""The document of the protocol: it says what goes over the wire, and what goes over the wire is as it says."""

import json
from collections.abc import Iterator
from typing import Any, get_args

import jsonschema
import pytest

from keepfact.conformance.wire.document import document
from keepfact.conformance.wire.forms import (
    Performing,
    read_observation,
    read_outcome,
    write_command,
    write_observation,
    write_outcome,
)
from keepfact.conformance.wire.table import ENTRIES
from keepfact.spec.vocabulary import (
    Capability,
    Command,
    Contract,
    Fence,
    Observation,
    Outcome,
    RunId,
    RunState,
    RunView,
    Step,
)

from ..met import met

DOCUMENT = document()


@pytest.fixture(scope="module")
def steps() -> list[Step]:
    """A few of every command, with different outcomes."""
    return [step for cls in get_args(Command) for step in met()[cls][:4]]


def test_every_command_and_observation_goes_over_the_wire_and_comes_back_as_the_document_says(
    steps: list[Step],
) -> None:
    for step in steps:
        asked = json.loads(write_command(step.cause, step.session))
        _form("Performing").validate(asked)
        read = Performing.model_validate(asked)
        assert (read.command, read.session) == (step.cause, step.session)
        assert step.outcome is not None
        outcome, shown = write_outcome(step.outcome), write_observation(step.after)
        _form("Outcome").validate(json.loads(outcome))
        _form("Observation").validate(json.loads(shown))
        assert read_outcome(outcome) == step.outcome
        assert read_observation(shown) == step.after


def test_half_a_character_that_a_system_shows_is_shown() -> None:
    runs = (RunView(RunId("r"), Contract.SETTLE, RunState.FAILED, Fence(1), 5, error="\\ half \ud800 \0 😀"),)
    written = write_observation(Observation(runs))
    assert read_observation(written).runs == runs
    assert read_observation(written.replace(b"ud800", b"uD800")).runs == runs
    with pytest.raises(ValueError, match=r"at runs\.0\.fence it gave '1'"):
        read_observation(written.replace(b'"fence": 1', b'"fence": "1"'))
    with pytest.raises(ValueError, match="at the whole it gave "):
        read_observation(written.replace(b"ud800", b"ud80"))


@pytest.mark.parametrize(("form", "wrong"), [
    ("Outcome", {"is": "Refused"}), ("Outcome", {"is": "Done", "grants": None}), ("Outcome", {"is": "Maybe"}),
    ("Performing", {"command": {"is": "Submit"}}), ("Observation", {"run": []}), ("Described", {"name": "x"}),
])  # fmt: skip
def test_what_is_wrong_is_not_as_the_document_says(form: str, wrong: dict[str, Any]) -> None:
    assert not _form(form).is_valid(wrong)


def test_whatever_the_document_refers_to_is_in_it() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    assert {name for name in _references(DOCUMENT) if name not in schemas} == set()
    assert {cls.__name__ for cls in (*get_args(Command), *get_args(Outcome))} <= set(schemas)
    assert set(schemas["Command"]["discriminator"]["mapping"]) == {cls.__name__ for cls in get_args(Command)}


def test_every_entry_and_every_capability_is_told() -> None:
    told = {(method.upper(), path) for path, methods in DOCUMENT["paths"].items() for method in methods}
    assert told == {(entry.method, entry.path) for entry in ENTRIES}
    assert all(f"`{capability}`" in DOCUMENT["info"]["description"] for capability in Capability)


def _form(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator({"$ref": f"#/components/schemas/{name}", **DOCUMENT})


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"].removeprefix("#/components/schemas/")
        for item in value.values():
            yield from _references(item)
    elif isinstance(value, list):
        for item in value:
            yield from _references(item)
