"""Each command once where it is done: the stage, and its fields; {run} stands for the id of the test's own run."""

from collections.abc import Iterable

from keepfact.impl import store
from keepfact.impl.commands import COMMANDS, in_full
from keepfact.impl.prepared import Value

from . import stages as at
from . import stages_of_people as people
from .driving import Driver, fresh
from .stages import Stage

Fields = dict[str, Value]


def filled(run: Driver, fields: Fields) -> Fields:
    """The fields for one run."""
    return {
        name: value.replace("{run}", run.run) if isinstance(value, str) else value for name, value in fields.items()
    }


ADMISSION: Fields = {"contract": "settle", "budget_cents": 100}
APPROVAL: Fields = {
    "wait": "p", "call": "pay", "digest": "d", "risk": "low", "basis": "the plan", "seconds": 60,
}  # fmt: skip
MATERIAL: Fields = {
    "material": "m", "source": "library", "digest": "d", "as_of": "2026-01-01", "fresh_seconds": 60,
}  # fmt: skip
CALLBACK: Fields = {"wait": "w", "kind": "callback", "digest": "d", "seconds": 60}

SUCCESSES: dict[str, tuple[Stage, Fields]] = {
    "submit": (at.new, {**ADMISSION, "request": "{run}-request"}),
    "continue": (people.source_ended, {**ADMISSION, "source": "{run}-source", "user_": "reader"}),
    "claim": (at.queued, {"worker": "w"}),
    "renew": (at.running, {}),
    "release": (at.running, {}),
    "intend": (at.running, {"call": "a", "kind": "operation", "digest": "d", "ceiling_cents": 1}),
    "send_again": (people.lost_but_recognised, {"call": "a"}),
    "record_answer": (at.open_call, {"call": "a", "answer": "yes", "cost_cents": 3}),
    "mark_unknown": (at.open_call, {"call": "a"}),
    "publish": (at.running, {"body": "b", "qualified": True}),
    "request_approval": (at.running, APPROVAL),
    "wait": (at.running, CALLBACK),
    "spawn": (at.running, {"spawn": "s", "child": "{run}-child", "budget_cents": 10}),
    "mark": (at.running, {"marker": "faster", "branch": "old"}),
    "save_material": (at.running, MATERIAL),
    "read_material": (people.handed_over, {"material": "m"}),
    "succeed": (at.published, {}),
    "fail": (at.running, {"error": "why"}),
    "stop": (at.cancelling, {}),
    "recover": (at.resuming_lapsed, {"worker": "w"}),
    "decide": (people.requested, {"wait": "p", "approved": True, "digest": "d"}),
    "assess": (at.ended, {"good": True}),
    "deliver": (at.waiting, {"wait": "w", "kind": "callback", "number": 1, "digest": "came"}),
    "wake": (at.accepted, {"wait": "w", "worker": "w", "digest": "d"}),
    "cancel": (at.running, {}),
    "reconcile": (at.lost_operation, {"call": "a", "evidence": "confirmed", "cost_cents": 3}),
    "grant": (at.new, {"source": "library", "user_": "reader"}),
    "revoke": (people.granted_to_reader, {"source": "library", "user_": "reader"}),
    "deploy": (at.new, {"bundle": "bundle-2", "replayed": 1, "diverged": 0}),
    "retire": (people.deployed, {"bundle": "bundle-1"}),
    "migrate": (at.new, {}),
    "end_migration": (people.migrating, {}),
    "purge": (people.large_and_over, {"payload": people.LARGE_DIGEST}),
}

READ: list[tuple[str, str, tuple[str, ...]]] = [
    *(("observe", name, types) for name, types in store.READINGS.items()),
    ("recover", "lost_runs", ()),
    ("wake", "accepted_wakes", ("text[]",)),
    ("deliver", "due_deliveries", ()),
    ("reconcile", "unresolved_runs", ("bigint", "integer")),
    ("purge", "kept_payloads", ("bigint",)),
]
"""The functions that only read, at which door, and the types of their parameters."""


def fields_of(run: Driver, command: str, different: Fields | None = None) -> Fields:
    """All fields of a command by name, in order, with which it is done at its stage, under an id of its own."""
    fields = filled(run, {**SUCCESSES[command][1], **(different or {})})
    said: Fields = {"command_id": fresh("command"), "run": run.run, "fence": run.fence, **fields}
    if isinstance(call := said.get("call"), str):
        said["call"] = run.id_of(call)
    known = {name: value for name, value in said.items() if name in COMMANDS[command].types}
    return dict(zip(COMMANDS[command].types, in_full(command, known), strict=True))


def values_of(run: Driver, command: str) -> list[Value]:
    """The same without names."""
    return list(fields_of(run, command).values())


def call_of(function: str, types: Iterable[str]) -> str:
    """The call of a function of the schema, to be given its values."""
    return f"keepfact.{function}({', '.join(f'%s::{type_name}' for type_name in types)})"


def sent(values: Iterable[Value]) -> list[object]:
    """The values as the driver takes them."""
    return [list(value) if isinstance(value, tuple) else value for value in values]
