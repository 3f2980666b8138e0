"""The OpenAPI document, made from the entries that are served."""

from collections.abc import Collection, Iterable
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from . import shown
from .bodies.fields import ID_PATTERN
from .problems import MEDIA_TYPE
from .refusals import REFUSALS, Class
from .table import Entry

REF = "#/components/schemas/{model}"

ALWAYS = {
    405: "The path does not know this method.",
    500: "A mistake of the gateway; nobody knows whether it happened.",
}
WITH_TOKEN = {
    401: "No bearer token, or one that is not known.",
    403: "The token does not have the scope, or whoever it speaks for may not do this.",
    429: "More requests, or streams, than one token may have at once.",
}
OF_COMMANDS = {
    400: "No Idempotency-Key that can be one, or a body that is no JSON in UTF-8.",
    404: "Something that the command names is not there.",
    408: "The body did not come in time.",
    409: "The state is not one in which this can be done.",
    410: "The chance is over, and does not come back.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    422: "A field that is missing, not known, or not as it should be; or a text that cannot be stored.",
    503: "Lost: nobody knows whether it happened, and asking again under the same Idempotency-Key is safe, and tells. "
    "Or refused, as too much is waiting: it was not begun.",
}
OF_READINGS = {
    400: "A header that cannot be read, or is there twice.",
    422: "An id or a query parameter that is not as it should be.",
    503: "The database does not answer, too much is waiting, or there is no place for one more stream.",
}


def document(entries: Collection[Entry]) -> dict[str, Any]:
    """OpenAPI 3.1."""
    bodies = [entry.body for entry in entries if entry.body]
    answers = [entry.answer for entry in entries if not isinstance(entry.answer, str)]
    models: list[type[BaseModel]] = list(dict.fromkeys([shown.Problem, *bodies, *answers]))
    _, schemas = models_json_schema([(model, "validation") for model in models], ref_template=REF)
    paths: dict[str, dict[str, Any]] = {}
    for entry in entries:
        paths.setdefault(entry.path, {})[entry.method.lower()] = _operation(entry)
    return {
        "openapi": "3.1.0",
        "info": {"title": "keepfact", "version": "1", "description": _about()},
        "paths": paths,
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


def _about() -> str:
    reasons = "\n".join(
        f"- {kind.status}: {', '.join(reason for reason, refusal in REFUSALS.items() if refusal.kind is kind)}"
        for kind in Class
    )
    return (
        "Long agent runs whose facts are kept. Every command ends in one of three ways: done (200); refused, it "
        "certainly did not happen; or lost (503), nobody knows, and asking again under the same Idempotency-Key is "
        f"safe. Refusals of the store by status:\n\n{reasons}"
    )


def _operation(entry: Entry) -> dict[str, Any]:
    said = entry.body or entry.query
    operation: dict[str, Any] = {
        "operationId": entry.name + "".join(f"_any_{name}" for name in entry.fixed),
        "tags": [entry.tag],
        "summary": said.__doc__ if said else PROCESS[entry.name],
        "parameters": [*_path_parameters(entry), *_header_parameters(entry), *_query_parameters(entry)],
        "responses": {"200": _success(entry), **_problems(entry)},
    }
    if entry.scope:
        operation["security"] = [{"bearer": []}]
        operation["description"] = f"Needs a token with the scope `{entry.scope}`."
    if entry.body:
        content = {"application/json": {"schema": _ref(entry.body)}}
        operation["requestBody"] = {"required": entry.body.is_needed(), "content": content}
    return operation


PROCESS = {
    "healthz": "Whether the process answers.",
    "readyz": "Whether the database answers.",
    "metrics": "Counts, for Prometheus.",
    "openapi": "This document.",
}


def _path_parameters(entry: Entry) -> Iterable[dict[str, Any]]:
    for name in entry.path_fields:
        yield {"name": name, "in": "path", "required": True, "schema": {"type": "string", "pattern": ID_PATTERN}}


def _header_parameters(entry: Entry) -> Iterable[dict[str, Any]]:
    if entry.body:
        yield {
            "name": "Idempotency-Key", "in": "header", "required": True,
            "description": "Names the command: new for each, and the same when it is asked again.",
            "schema": {"type": "string", "pattern": ID_PATTERN},
        }  # fmt: skip
    if entry.name == "stream":
        yield {
            "name": "Last-Event-ID", "in": "header", "required": False,
            "description": "The number of the last event that came; it counts more than `after`.",
            "schema": {"type": "string", "pattern": "^[0-9]{0,18}$"},
        }  # fmt: skip


def _query_parameters(entry: Entry) -> Iterable[dict[str, Any]]:
    if entry.query is None:
        return
    for name, schema in entry.query.model_json_schema()["properties"].items():
        yield {"name": name, "in": "query", "required": False, "schema": schema}


def _success(entry: Entry) -> dict[str, Any]:
    if entry.name == "stream":
        about = (
            "Each event of the history is an event of the stream, its number the id, its data as in a page of events. "
            "The last one is named `end`, once the run has ended and all was delivered."
        )
        return {"description": about, "content": {entry.answer: {}}}
    if isinstance(entry.answer, str):
        return {"description": "As asked.", "content": {entry.answer: {"schema": {"type": "string"}}}}
    return {"description": "As asked.", "content": {"application/json": {"schema": _ref(entry.answer)}}}


def _problems(entry: Entry) -> dict[str, Any]:
    told = dict(ALWAYS)
    if entry.scope:
        told |= WITH_TOKEN
    if entry.body:
        told |= OF_COMMANDS
    elif entry.scope:
        told |= OF_READINGS
        if entry.path_fields:
            told |= {404: "There is no such run."}
    elif entry.name == "readyz":
        told |= {503: "The database does not answer."}
    return {str(status): _problem(status, told[status]) for status in sorted(told)}


def _problem(status: int, description: str) -> dict[str, Any]:
    headers = {401: "WWW-Authenticate", 405: "Allow", 429: "Retry-After", 503: "Retry-After"}
    described: dict[str, Any] = {"description": description, "content": {MEDIA_TYPE: {"schema": _ref(shown.Problem)}}}
    if status in headers:
        described["headers"] = {headers[status]: {"required": True, "schema": {"type": "string"}}}
    return described


def _ref(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": REF.format(model=model.__name__)}
