"""What changed between two observations, as a flat list: every change by the run, the part and the id it is of."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from .words import Thing


class Change(NamedTuple):
    """`what` is a field, `list.field` of one item, or `list +`, `list -` for items that came or went.

    `run` is None for what is kept beyond one run, `item` the id within the list.
    """

    run: str | None
    what: str
    item: Any
    old: Any
    new: Any


_KEYS: dict[str, tuple[str, ...]] = {
    "calls": ("call",),
    "publications": ("version",),
    "children": ("spawn",),
    "waits": ("wait",),
    "arrivals": ("wait", "number"),
    "markers": ("marker",),
    "materials": ("material",),
    "inherited": ("run", "material"),
}
_SHARED: dict[str, tuple[str, ...]] = {
    "bundles": ("bundle",),
    "readers": ("source", "user"),
    "payloads": ("digest",),
}
_DERIVED = {"known_cents", "held_cents", "unresolved", "delivered", "next_decision"}
"""These follow from other fields; whether they do so rightly is judged on every state, not on changes."""


def changes(before: Thing, after: Thing) -> list[Change]:
    """Every change, runs first."""
    return [] if before is after else list(_changes(before, after))


def is_unique(run: Thing, part: str) -> bool:
    """No two items of this list have the same id."""
    ids = [tuple(item[key] for key in _KEYS[part]) for item in run[part]]
    return len(ids) == len(set(ids))


KEYED = tuple(_KEYS)


def _changes(before: Thing, after: Thing) -> Iterator[Change]:
    old = {run["run"]: run for run in before["runs"]}
    new = {run["run"]: run for run in after["runs"]}
    for name in old.keys() - new.keys():
        yield Change(name, "runs -", name, old[name], None)
    for name, run in new.items():
        if name not in old:
            yield Change(name, "runs +", name, None, run)
        elif old[name] is not run:
            yield from _of_run(name, old[name], run)
    for field in ("served", "in_force"):
        if before[field] != after[field]:
            yield Change(None, field, None, before[field], after[field])
    for part, keys in _SHARED.items():
        yield from _of_list(None, part, keys, before[part], after[part])


def _of_run(name: str, old: Thing, new: Thing) -> Iterator[Change]:
    for field, value in old.items():
        if field in _DERIVED or value == new[field]:
            continue
        if field == "history":
            kept = new["history"][: len(value)]
            if kept != value:
                yield Change(name, "history", None, value, new["history"])
            for event in new["history"][len(value) :]:
                yield Change(name, "history +", event["number"], None, event)
        elif field in _KEYS:
            yield from _of_list(name, field, _KEYS[field], value, new[field])
        else:
            yield Change(name, field, None, value, new[field])


def _of_list(
    run: str | None, part: str, keys: tuple[str, ...], before: list[Thing], after: list[Thing]
) -> Iterator[Change]:
    if before is after or before == after:
        return
    old = {tuple(item[key] for key in keys): item for item in before}
    new = {tuple(item[key] for key in keys): item for item in after}
    for key in old.keys() - new.keys():
        yield Change(run, f"{part} -", _id(key), old[key], None)
    for key, item in new.items():
        if key not in old:
            yield Change(run, f"{part} +", _id(key), None, item)
        elif old[key] != item:
            for field, value in old[key].items():
                if value != item[field]:
                    yield Change(run, f"{part}.{field}", _id(key), value, item[field])


def _id(key: tuple[Any, ...]) -> Any:
    return key[0] if len(key) == 1 else key
