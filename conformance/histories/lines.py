"""A file from anywhere, as JSON values with their lines; whatever is wrong with it is told by line and column."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from keepfact.conformance.errors import KeepfactError

LINE_BYTES_MAX = 32 * 1024 * 1024
DOCUMENT_BYTES_MAX = 64 * 1024 * 1024
DEPTH_MAX = 100
"""What exceeds these was not exported by any system that keeps to what can be stored."""


class HistoryError(KeepfactError):
    """The file is no history; the message says where, what was expected and what was seen."""


def values(path: Path) -> Iterator[tuple[int, Any]]:
    """Each JSON value with the number of the line that it begins on: one a line, or one over all lines.

    HistoryError at the first thing that is no JSON, says a key twice, is nested too deep, or is too long.
    """
    try:
        with path.open("rb") as file:
            first = _first(path, file)
            if first is None:
                return
            number, line = first
            if _stands_alone(line):
                yield number, _parsed(path, number, line)
                yield from _rest(path, file, number)
            else:
                whole = line + file.read(DOCUMENT_BYTES_MAX + 1 - len(line))
                if len(whole) > DOCUMENT_BYTES_MAX:
                    wrong(path, number, f"a document of at most {DOCUMENT_BYTES_MAX:,} bytes", "it is longer")
                yield number, _parsed(path, number, whole)
    except OSError as error:
        raise HistoryError(f"expected a history in {path}, but: {error.strerror}. Give a file.") from error


def wrong(path: Path, number: int, expected: str, seen: str) -> NoReturn:
    """Raise what every part of reading raises."""
    raise HistoryError(f"expected {expected} on line {number} of {path}, but {seen}.")


def _first(path: Path, file: Any) -> tuple[int, bytes] | None:
    """The first line that has something on it."""
    return next(_filled(path, file, 0), None)


def _rest(path: Path, file: Any, number: int) -> Iterator[tuple[int, Any]]:
    for later, line in _filled(path, file, number):
        yield later, _parsed(path, later, line)


def _filled(path: Path, file: Any, number: int) -> Iterator[tuple[int, bytes]]:
    while line := file.readline(LINE_BYTES_MAX + 1):
        number += 1
        if len(line) > LINE_BYTES_MAX:
            wrong(path, number, f"lines of at most {LINE_BYTES_MAX:,} bytes", "it is longer")
        if line.strip():
            yield number, line


def _stands_alone(line: bytes) -> bool:
    """Whether a first line is all of its value: else the value goes on, or there is none."""
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return line.strip()[-1:] in b"}]"
    return True


def _parsed(path: Path, number: int, line: bytes) -> Any:
    def wrong_here(expected: str, seen: str) -> NoReturn:
        wrong(path, number, expected, seen)

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            keys = [key for key, _ in pairs]
            wrong_here("every key once", f"{short(next(key for key in keys if keys.count(key) > 1))} is there twice")
        return made

    def no_constant(name: str) -> NoReturn:
        wrong_here("numbers", f"it has {name}, which JSON does not know")

    try:
        text = line.decode("utf-8")
        value = json.loads(text, object_pairs_hook=once, parse_constant=no_constant)
    except UnicodeDecodeError as error:
        wrong_here("text in UTF-8", f"byte {error.start + 1} is none")
    except json.JSONDecodeError as error:
        wrong(path, number + error.lineno - 1, "JSON", f"at column {error.colno}: {error.msg}")
    except RecursionError:
        wrong_here(f"values nested at most {DEPTH_MAX} deep", "they are deeper")
    except ValueError as error:  # numbers of thousands of digits
        wrong_here("JSON", str(error))
    if _is_deep(value):
        wrong_here(f"values nested at most {DEPTH_MAX} deep", "they are deeper")
    return value


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEPTH_MAX):
        level = [one for item in level for one in _inside(item)]
        if not level:
            return False
    return True


def _inside(value: Any) -> list[Any]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [one for one in inner if isinstance(one, dict | list)]


def short(value: object, written: Callable[[object], str] = ascii, characters_max: int = 80) -> str:
    """The beginning of it, on one line."""
    text = written(value)
    return text if len(text) <= characters_max else f"{text[:characters_max]}…"
