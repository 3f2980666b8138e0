"""The protocol as an OpenAPI document, made from the table and the vocabulary."""

from typing import Any

from pydantic import BaseModel, TypeAdapter

from keepfact.conformance.strict import Form
from keepfact.spec.named import COMMANDS, OUTCOMES, named_schema
from keepfact.spec.vocabulary import OFFERS, Observation

from .connection import ANSWER_BYTES_MAX
from .forms import HARNESS, PROBLEM, Described, Drifting, Observing, Performing, Problem, Ticking
from .table import ENTRIES, Entry

REF = "#/components/schemas/{model}"

ABOUT = f"""\
What keepfact asks of a system under test, in whatever language it is written: serve this, and
`keepfact verify --system http://host:port` drives it. All paths may stand below a prefix.

One thing at a time: keepfact asks for the next when it has the answer, mostly on one connection that is kept alive;
keep it open while idle. When an answer does not come in time or the connection is cut, the next thing is asked on a
new connection. Begin it only when what was under way has ended: a command that was Lost has by then happened, or never
will.

One harness at a time, too: two would each find that the other had begun afresh. Each sends a value of its own in the
header `{HARNESS}`. Answer whoever has another than the last that asked GET /system with 409.

Any status but those listed, an answer that is not JSON or not of the form listed, a field that is not listed, and more
than {ANSWER_BYTES_MAX // 2**20} MiB are faults of the adapter. Then keepfact ends, without a verdict on the system, and
shows the `detail` of the problem if there is one. A redirect is not followed.

A text may hold any character that JSON can escape, also a NUL and half a surrogate pair: such texts are sent to see
them refused. They come only to a system that offers `payloads`.

The forms are those of spec/schemas/history.json and evidence.json; what they mean stands in spec/vocabulary, and what
must hold in spec/RULES.md. What belongs to each capability:

"""


def document() -> dict[str, Any]:
    """OpenAPI 3.1."""
    paths: dict[str, dict[str, Any]] = {}
    for entry in ENTRIES:
        paths.setdefault(entry.path, {})[entry.method.lower()] = _operation(entry)
    return {
        "openapi": "3.1.0",
        "info": {"title": "keepfact: a system under test", "version": "1", "description": ABOUT + _capabilities()},
        "paths": paths,
        "components": {"schemas": _schemas()},
    }


def _capabilities() -> str:
    lines = [
        f"- `{capability}`: {', '.join(cls.__name__ for cls in offered) or 'fields of other commands'}"
        for capability, offered in OFFERS.items()
    ]
    return "\n".join(lines) + "\n"


def _operation(entry: Entry) -> dict[str, Any]:
    said: dict[str, Any] = {"204": {"description": "It is so."}}
    if entry.answer is not None:
        said = {"200": {"description": "As asked.", "content": _json(entry.answer)}}
    operation: dict[str, Any] = {
        "operationId": entry.name,
        "summary": entry.about,
        "parameters": [{"name": HARNESS, "in": "header", "schema": {"type": "string"}}],
        "responses": said,
    }
    if entry.asked is not None:
        operation["requestBody"] = {"required": True, "content": _json(entry.asked.__name__)}
    fault = {"description": "A fault of whoever asks (4xx) or of the adapter (5xx); there is no verdict then."}
    operation["responses"]["default"] = {**fault, "content": {PROBLEM: {"schema": _ref("Problem")}}}
    return operation


def _schemas() -> dict[str, Any]:
    """Every form by its name; of the members of a union each has its own."""
    unions = {"Command": COMMANDS, "Outcome": OUTCOMES}
    classes = [*(cls for union in unions.values() for cls in union.classes), Observation]
    forms: list[type[BaseModel]] = [Described, Performing, Observing, Ticking, Drifting, Problem]
    adapters: list[TypeAdapter[Any]] = [Form(cls).adapter for cls in classes]
    adapters += [TypeAdapter(form) for form in forms]
    _, made = TypeAdapter.json_schemas(
        [(number, "validation", adapter) for number, adapter in enumerate(adapters)], ref_template=REF
    )
    schemas: dict[str, Any] = made["$defs"]
    for name, union in unions.items():
        members = sorted(cls.__name__ for cls in union.classes)
        for member in members:
            schemas[member] |= named_schema(member, schemas[member])
        mapping = {member: REF.format(model=member) for member in members}
        schemas[name] = {
            "oneOf": [_ref(member) for member in members],
            "discriminator": {"propertyName": "is", "mapping": mapping},
        }
    schemas["Performing"]["properties"]["command"] = _ref("Command")
    return dict(sorted(schemas.items()))


def _json(form: str) -> dict[str, Any]:
    return {"application/json": {"schema": _ref(form)}}


def _ref(form: str) -> dict[str, str]:
    return {"$ref": REF.format(model=form)}
