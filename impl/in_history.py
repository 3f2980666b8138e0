"""How a history tells what was decided: the events that do, and what each must say of the command behind it."""

import json
import re
from collections.abc import Mapping
from typing import Any

from .consequences import Write
from .decider import Event
from .digests import digest_of_text

TOLD_BY = {
    "intend": "intended",
    "send_again": "sent_again",
    "request_approval": "waited",
    "publish": "published",
    "save_material": "saved",
    "read_material": "read",
    "spawn": "spawned",
    "mark": "marked",
    "wait": "waited",
}
"""The event of each command of a program that does not end its run."""

ENDS = {"succeed": "succeeded", "fail": "failed"}

DECIDED = frozenset({"intended", "sent_again", "published", "waited", "spawned", "marked", "saved"})
"""The events of work that tell a decision; its ends do too, unless the run was asked to stop."""

CARRIED = frozenset({"record_answer", "mark_unknown"})
"""Commands that no program decides: they carry out what it decided before."""

REFUSED = re.compile(r"(\w+) was refused: \w+")
"""What a failure says that followed a decision of which the store would have nothing."""

UNTOLD = frozenset({"content", "input"})
"""A finding's text is told by its digest, and what a child is given by the child."""

Facts = Mapping[str, Any]


def is_decided(event: Event) -> bool:
    """The program decided this, and not somebody from outside or the worker that carried it out."""
    if event["entry_point"] != "work":
        return False
    if event["type"] in {"ended", "sealed"}:
        return event["payload"]["end"] != "cancelled" and refused_command(event) not in CARRIED
    return event["type"] in DECIDED


def is_told(write: Write, event: Event) -> bool:
    """The event is what is stored of that command."""
    if write.command in ENDS:
        return event["type"] in {"ended", "sealed"} and _all_said(
            event["payload"], {"end": ENDS[write.command], **write.fields}
        )
    return _kind(event) == TOLD_BY[write.command] and _all_said(event["payload"], _facts(write))


def refused_command(event: Event) -> str | None:
    """The command that the store would not have, if the run failed of that."""
    found = REFUSED.fullmatch(event["payload"].get("error") or "")
    return found[1] if found else None


def told(event: Event) -> str:
    """An event for people, in one line."""
    payload = {name: value for name, value in event["payload"].items() if name not in {"at", "fence"}}
    return f"{_kind(event)} {json.dumps(payload, sort_keys=True, ensure_ascii=False)}"


def _kind(event: Event) -> str:
    """Its type; using a finding that was handed over is told as one that is saved, with its origin."""
    return "read" if event["type"] == "saved" and "origin" in event["payload"] else str(event["type"])


def _facts(write: Write) -> Facts:
    """What the event must say: all that the command does, but a request for approval shows a part of it to a person."""
    fields = write.fields
    if write.command == "request_approval":
        shown = {name: fields[name] for name in ("call", "risk", "basis")}
        return {"kind": "approval", "digest": fields["digest"], "seconds": fields["seconds"], "shown": shown}
    return {name: value for name, value in fields.items() if name not in UNTOLD}


def _all_said(payload: Facts, facts: Facts) -> bool:
    return all(_says(payload, name, value) for name, value in facts.items())


def _says(payload: Facts, name: str, value: object) -> bool:
    """What is said of a thing may be more. A large text is known by its digest, also after it was purged."""
    if isinstance(value, Mapping):
        return _all_said(payload.get(name) or {}, value)
    if isinstance(value, str) and (digest := payload.get(f"{name}_payload")):
        return bool(digest_of_text(value) == digest)
    return bool(payload.get(name) == (list(value) if isinstance(value, tuple) else value))
