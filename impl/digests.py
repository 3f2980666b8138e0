"""The digests under which the store knows what a program decided."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from .programs.decisions import UseTool, WaitFor


def arguments_of(decision: UseTool) -> dict[str, Any]:
    """The effective arguments: what is shown to whoever approves, and what is sent."""
    return {"tool": decision.tool, "arguments": dict(decision.arguments)}


def digest_of_wait(decision: WaitFor) -> str:
    """What the checkpoint seals of the request that is waited on."""
    return digest_of({"wait": decision.wait, "kind": decision.kind, "arrivals": decision.arrivals})


def digest_of(content: Mapping[str, Any]) -> str:
    """SHA-256, in hex, over the content as JSON with sorted keys and without spaces. Raises for what is not JSON."""
    return digest_of_text(json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False))


def digest_of_text(text: str) -> str:
    """SHA-256, in hex, over the text in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()
