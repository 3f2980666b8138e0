"""JSON of others, read strictly: a number in quotes or a field that nobody knows means that somebody meant another.

Taken for something, it would show only much later, as something else.
"""

import json
import re
from functools import cached_property
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

_STRICT = ConfigDict(strict=True, extra="forbid")
_HALF_CHARACTER = re.compile(r"(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}")


class MisreadError(ValueError):
    """The first thing that is wrong: `at` which place, what was `expected` and what was `seen` there."""

    def __init__(self, error: ValidationError) -> None:
        first = error.errors(include_url=False)[0]
        self.at = ".".join(map(str, first["loc"][1:]))  # of one in a tuple
        self.expected = first["msg"]
        self.seen = first["input"]
        super().__init__(f"at {self.at or 'the whole'} it gave {self.seen!a:.200} ({self.expected})")


class Form:
    """One class as JSON. Half a character is a text, if a strange one, though pydantic neither reads nor writes it."""

    def __init__(self, cls: type) -> None:
        self._cls = cls

    @cached_property
    def adapter(self) -> TypeAdapter[Any]:
        """Of one in a tuple, since pydantic takes settings from outside only for what is not a class itself."""
        return TypeAdapter(tuple[self._cls], config=_STRICT)  # type: ignore[name-defined] # as it runs

    def read(self, said: bytes) -> Any:
        """Raises MisreadError."""
        try:
            return self.adapter.validate_json(b"[" + said + b"]")[0]
        except ValidationError as error:
            if error.errors()[0]["type"] != "json_invalid":
                raise MisreadError(error) from None
            return self._read_with_halves(said, error)

    def write(self, value: object) -> bytes:
        """As it is read."""
        try:
            return self.adapter.dump_json((value,))[1:-1]
        except PydanticSerializationError:
            return json.dumps(self.adapter.dump_python((value,), mode="json")[0]).encode()

    def _read_with_halves(self, said: bytes, error: ValidationError) -> Any:
        try:
            value = [json.loads(said)]
        except (ValueError, RecursionError):
            raise MisreadError(error) from None
        try:
            self.adapter.validate_json(_HALF_CHARACTER.sub(r"\1?", json.dumps(value)))
            return self.adapter.validate_python(value, strict=False)[0]
        except ValidationError as wrong:
            raise MisreadError(wrong) from None
