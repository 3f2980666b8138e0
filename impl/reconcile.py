"""Asking tools about operations whose outcome or cost nobody knows, and recording what they say."""

import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from .outcomes import Outcome
from .outside import Outside
from .store import Store


def look_up(store: Store, outside: Outside, run: str) -> dict[str, Outcome]:
    """Look up every unresolved operation of a run; the outcome of recording each finding, by the operation's id.

    Nothing is sent again. Attempts cannot be looked up at a model, and a tool that does not answer proves nothing:
    both stay as they are.
    """
    outcomes: dict[str, Outcome] = {}
    for shown in store.observe([run]):
        for call in _unresolved_operations(shown):
            finding = outside.look_up(call)
            if finding is not None:
                outcomes[call] = store.perform(
                    "reconcile",
                    command_id=str(uuid.uuid4()),
                    run=run,
                    call=call,
                    evidence=finding.status,
                    cost_cents=finding.cost_cents if finding.status == "confirmed" else None,
                )
    return outcomes


def _unresolved_operations(shown: Mapping[str, Any]) -> Iterator[str]:
    for call in shown["calls"]:
        is_unknown = call["state"] == "unknown"
        has_no_amount = call["state"] == "confirmed" and call["cost_cents"] is None
        if call["kind"] == "operation" and (is_unknown or has_no_amount):
            yield call["call"]
