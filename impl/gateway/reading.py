"""Reading what a client sent, without trusting it: never more than so many bytes, nor deeper than so many levels."""

import asyncio
import json
import re
from collections.abc import Mapping
from typing import Any, NoReturn, TypeVar
from urllib.parse import unquote

from pydantic import BaseModel, ValidationError
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request

from .bodies.fields import ID_PATTERN, Body
from .problems import Problem, malformed
from .settings import Limits

Model = TypeVar("Model", bound=BaseModel)
Command = TypeVar("Command", bound=Body)

BRACKETS = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
"""Strings, which may hold brackets of their own, also one without an end; and brackets."""

ID = re.compile(ID_PATTERN.replace("$", r"\Z"))


async def read_body(request: Request, model: type[Command], limits: Limits) -> Command:
    """The body of a request, as `model` has it. Raises a Problem."""
    body = await _bytes(request, limits)
    if not body and not model.is_needed():
        return validated(model, {})
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise malformed(415, "a body of the type application/json", "it is of another")
    return validated(model, parse(body, limits.depth_max))


def parse(body: bytes, depth_max: int) -> Any:
    """The JSON of a body: UTF-8, of numbers that are some, of objects that say nothing twice. Raises a Problem."""
    if depth(body) > depth_max:
        raise malformed(400, f"JSON of at most {depth_max} levels", "there are more")
    try:
        return json.loads(body.decode(), object_pairs_hook=_object, parse_constant=_not_a_number, parse_float=_number)
    except (ValueError, RecursionError) as error:
        # Messages of the parser quote nothing but places; those of decoding quote a byte.
        seen = str(error) if isinstance(error, json.JSONDecodeError | _BadJsonError) else "it is none"
        raise malformed(400, "a body of JSON in UTF-8", seen) from None


def depth(body: bytes) -> int:
    """How many brackets are open at once, at most; a text that is no JSON has some number too."""
    deepest = level = 0
    for found in BRACKETS.finditer(body):
        if found[0] in b"[{":
            level += 1
            deepest = max(deepest, level)
        elif found[0] in b"]}":
            level -= 1
    return deepest


def read_query(request: Request, model: type[Model]) -> Model:
    """What stands behind the question mark. Raises a Problem."""
    pairs = request.query_params.multi_items()
    if len({name for name, _ in pairs}) < len(pairs):
        raise malformed(422, "each query parameter at most once", "one is there twice")
    return validated(model, dict(pairs))


def read_header(headers: Headers, name: str) -> str | None:
    """The one value of a header. Raises a Problem, if there are several."""
    values = headers.getlist(name)
    if len(values) > 1:
        raise malformed(400, f"one header {name}", f"there are {len(values)}")
    return values[0] if values else None


def read_path(request: Request) -> dict[str, str]:
    """The ids in the path. Raises a Problem, if one cannot be an id."""
    ids = {name: unquote(value, errors="replace") for name, value in request.path_params.items()}
    for name, value in ids.items():
        if not ID.match(value):
            raise malformed(422, f"{name} in the path to be 1 to 200 printable ASCII characters", "it is another text")
    return ids


def read_command_id(headers: Headers) -> str:
    """The id under which repeating a command is safe. Raises a Problem."""
    key = read_header(headers, "Idempotency-Key")
    if key is None or not ID.match(key):
        raise malformed(
            400,
            "a header Idempotency-Key of 1 to 200 printable ASCII characters without spaces",
            "there is none" if key is None else "it is another text",
            "Send one that is new for each command, and the same when you ask again.",
        )
    return key


def validated(model: type[Model], value: Any) -> Model:
    """The value as `model` has it. Raises a Problem that names places, never values."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        faults = error.errors(include_input=False, include_context=False, include_url=False)[:10]
        places = [{"at": _place(fault["loc"]), "expected": fault["msg"]} for fault in faults]
        raise malformed(
            422,
            f"the fields of {model.__name__}",
            "; ".join(f"{place['at'] or 'the whole'}: {place['expected']}" for place in places),
            faults=places,
        ) from None


async def _bytes(request: Request, limits: Limits) -> bytes:
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > limits.body_bytes_max:
        raise _too_large(limits)
    body = bytearray()
    try:
        async with asyncio.timeout(limits.body_seconds):
            async for chunk in request.stream():
                body += chunk
                if len(body) > limits.body_bytes_max:
                    raise _too_large(limits)
    except TimeoutError:
        raise malformed(408, f"the whole body within {limits.body_seconds:g} seconds", "it is not there") from None
    except ClientDisconnect:
        raise malformed(400, "a whole body", "the connection ended before") from None
    return bytes(body)


def _too_large(limits: Limits) -> Problem:
    return malformed(413, f"a body of at most {limits.body_bytes_max} bytes", "it has more", "Send less.")


def _place(location: tuple[str | int, ...]) -> str:
    """Where a fault is; a name that the client made up is not repeated in full."""
    return ".".join(str(part).encode("ascii", "backslashreplace").decode()[:100] for part in location)


class _BadJsonError(ValueError):
    """It can be parsed, but says what JSON cannot say."""


def _object(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise _BadJsonError("a name stands twice in an object")
    return content


def _not_a_number(constant: str) -> NoReturn:
    raise _BadJsonError(f"{constant} is no number in JSON")


def _number(text: str) -> float | int:
    """JSON has one kind of number: 1.0 is the whole number 1."""
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise _BadJsonError("a number is too large")
    return int(number) if number.is_integer() else number
