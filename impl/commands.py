"""Every command of the store: at whose door it is asked, and what it says."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from .prepared import Value
from .texts import is_storable, record_of

BUNDLE = "bundle-1"
"""The bundle that every tenant is founded with, and that a worker supports unless it says otherwise."""


@dataclass(frozen=True, slots=True)
class Signature:
    """The entry point of a command, the types of its SQL function's parameters by name, and what need not be said."""

    entry_point: str
    types: Mapping[str, str]
    defaults: Mapping[str, Value] = field(default_factory=dict)


def _command(entry_point: str, parameters: str, **defaults: Value) -> Signature:
    pairs = (parameter.split() for parameter in f"command_id text, {parameters}".strip(", ").split(", "))
    return Signature(entry_point, dict(pairs), defaults)


def _worked(parameters: str, **defaults: Value) -> Signature:
    return _command("work", f"run text, fence bigint, {parameters}", **defaults)


COMMANDS: dict[str, Signature] = {
    "submit": _command(
        "submit",
        "run text, contract text, budget_cents bigint, bundle text, request text, input text",
        bundle="latest",
        request=None,
        input=None,
    ),
    "continue": _command(
        "continue",
        "run text, source text, user_ text, contract text, budget_cents bigint, request text, input text",
        request=None,
        input=None,
    ),
    "claim": _command("work", "run text, worker text, supports text[], schema integer", supports=(BUNDLE,), schema=1),
    "renew": _worked(""),
    "release": _worked(""),
    "intend": _worked(
        "call text, kind text, digest text, ceiling_cents bigint, supersedes text, approval text, compensates text, "
        "undo text, recognises boolean, sends_max integer",
        supersedes=None,
        approval=None,
        compensates=None,
        undo=None,
        recognises=False,
        sends_max=1,
    ),
    "send_again": _worked("call text"),
    "record_answer": _worked("call text, answer text, cost_cents bigint"),
    "mark_unknown": _worked("call text"),
    "publish": _worked("body text, qualified boolean"),
    "request_approval": _worked("wait text, call text, digest text, risk text, basis text, seconds bigint"),
    "wait": _worked(
        "wait text, kind text, digest text, seconds bigint, arrivals integer, child text", arrivals=1, child=None
    ),
    "spawn": _worked("spawn text, child text, budget_cents bigint, input text", input=None),
    "mark": _worked("marker text, branch text"),
    "save_material": _worked(
        "material text, source text, digest text, as_of text, fresh_seconds bigint, derived_from text[], "
        "replaces text, judgement boolean, content text",
        derived_from=(),
        replaces=None,
        judgement=False,
        content=None,
    ),
    "read_material": _worked("material text"),
    "succeed": _worked(""),
    "fail": _worked("error text", error=None),
    "stop": _worked(""),
    "recover": _command(
        "recover",
        "run text, worker text, supports text[], seen_fence bigint, schema integer",
        worker=None,
        supports=(BUNDLE,),
        seen_fence=None,
        schema=None,
    ),
    "decide": _command("decide", "run text, wait text, approved boolean, digest text"),
    "assess": _command("decide", "run text, good boolean"),
    "deliver": _command("deliver", "run text, wait text, kind text, number integer, digest text"),
    "wake": _command(
        "wake",
        "run text, wait text, worker text, digest text, supports text[], format integer, schema integer",
        supports=(BUNDLE,),
        format=1,
        schema=None,
    ),
    "cancel": _command("cancel", "run text"),
    "reconcile": _command(
        "reconcile", "run text, call text, evidence text, cost_cents bigint, sends integer", sends=None
    ),
    "grant": _command("grant", "source text, user_ text"),
    "revoke": _command("grant", "source text, user_ text"),
    "deploy": _command("deploy", "bundle text, replayed integer, diverged integer, markers text[]", markers=()),
    "retire": _command("deploy", "bundle text"),
    "migrate": _command("deploy", ""),
    "end_migration": _command("deploy", ""),
    "purge": _command("purge", "payload text"),
}
"""By name, which is that of its SQL function."""

ENTRY_POINTS = ("observe", *dict.fromkeys(signature.entry_point for signature in COMMANDS.values()))
"""The doors to the store. Each is a role of the database."""

FROM_OUTSIDE = {("record_answer", "answer"), ("publish", "body")}
"""Texts of which some cannot be stored: their command is given null then, and refuses by itself, in its order."""


def in_full(command: str, fields: Mapping[str, Value]) -> list[Value]:
    """The values of a command's parameters, in order. Raises TypeError for a name too many or one that is missing."""
    signature = COMMANDS[command]
    values = {**signature.defaults, **fields}
    if values.keys() != signature.types.keys():
        raise TypeError(f"{command} takes {', '.join(signature.types)}, but was given {', '.join(fields)}")
    return [_storable(command, name, values[name]) for name in signature.types]


def _storable(command: str, name: str, value: Value) -> Value:
    if not isinstance(value, str) or is_storable(value):
        return value
    if (command, name) == ("fail", "error"):
        return record_of(value)
    return None if (command, name) in FROM_OUTSIDE else value
