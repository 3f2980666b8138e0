"""Causes and outcomes as JSON: an object whose `is` names the class, since many have the same fields."""

from types import UnionType
from typing import Annotated, Any, get_args

from pydantic import PlainSerializer, PlainValidator, TypeAdapter, WithJsonSchema

from keepfact.spec.vocabulary import Cause, Command, Outcome


class Named:
    """Reads and writes the members of one union."""

    def __init__(self, union: UnionType) -> None:
        self.classes = get_args(union)
        self.adapters: dict[str, TypeAdapter[Any]] = {cls.__name__: TypeAdapter(cls) for cls in self.classes}

    def read(self, value: Any) -> Any:
        if not isinstance(value, dict) and isinstance(value, self.classes):
            return value
        name = value.get("is") if isinstance(value, dict) else value
        if not isinstance(name, str) or name not in self.adapters:
            raise ValueError(f"expected `is` to be one of {', '.join(sorted(self.adapters))}, but it is {name!r:.200}")
        return self.adapters[name].validate_python(value)  # which leaves `is` alone, as whatever else it does not know

    def write(self, value: Any) -> dict[str, Any]:
        name = type(value).__name__
        return {"is": name, **self.adapters[name].dump_python(value, mode="json")}

    def schema(self) -> dict[str, Any]:
        schemas = {name: adapter.json_schema() for name, adapter in sorted(self.adapters.items())}
        return {"oneOf": [named_schema(name, {**schema, **_inlined(schema)}) for name, schema in schemas.items()]}


def named_schema(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of a class, with the `is` that names it."""
    return {
        "type": "object",
        "properties": {"is": {"const": name}, **schema.get("properties", {})},
        "required": ["is", *schema.get("required", [])],
    }


def _inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """The properties of a class, with what they refer to put in place: a part of a larger schema has no $defs."""
    definitions = schema.get("$defs", {})

    def resolve(value: Any) -> Any:
        if isinstance(value, dict) and "$ref" in value:
            return resolve(definitions[value["$ref"].rpartition("/")[2]])
        if isinstance(value, dict):
            return {key: resolve(item) for key, item in value.items()}
        return [resolve(item) for item in value] if isinstance(value, list) else value

    return {"properties": {name: resolve(value) for name, value in schema.get("properties", {}).items()}}


CAUSES = Named(Cause)
COMMANDS = Named(Command)
OUTCOMES = Named(Outcome)

NamedCause = Annotated[
    Cause, PlainValidator(CAUSES.read), PlainSerializer(CAUSES.write), WithJsonSchema(CAUSES.schema())
]
NamedOutcome = Annotated[
    Outcome, PlainValidator(OUTCOMES.read), PlainSerializer(OUTCOMES.write), WithJsonSchema(OUTCOMES.schema())
]
