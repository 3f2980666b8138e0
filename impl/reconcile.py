"""Asking tools about operations whose outcome or cost nobody knows, and recording what they say."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .insisting import ask_a_few_times
from .outcomes import Outcome
from .outside import Finding, Outside
from .seams import Seams
from .store import Store

Shown = Mapping[str, Any]
"""A run or a call, as the store shows it."""

log = logging.getLogger("keepfact.reconcile")

NO_SEAMS = Seams(None)


def look_up(
    store: Store,
    outside: Outside,
    run: str,
    is_wanted: Callable[[Shown, Shown], bool] = lambda run, call: True,
    seams: Seams = NO_SEAMS,
) -> dict[str, Outcome]:
    """Look up every unresolved operation of a run; the outcome of recording each finding, by the operation's id.

    Nothing is sent again. Attempts cannot be looked up at a model, and a tool that does not answer proves nothing:
    both stay as they are. So do operations that are not wanted, and a finding that says what is known is not recorded
    again. Raises ConnectionLostError.
    """
    outcomes: dict[str, Outcome] = {}
    for shown in store.observe([run]):
        for call in _unresolved_operations(shown):
            finding = _ask(outside, call["call"]) if is_wanted(shown, call) else None
            if finding is not None and _is_news(finding, call, shown["history"]):
                seams.reach("reconciling")
                outcomes[call["call"]] = ask_a_few_times(
                    store,
                    "reconcile",
                    run=run,
                    call=call["call"],
                    evidence=finding.status,
                    cost_cents=finding.cost_cents if finding.status == "confirmed" else None,
                    sends=call["sends"],
                )
                seams.reach("reconciled")
    return outcomes


def _unresolved_operations(shown: Shown) -> Iterator[Shown]:
    for call in shown["calls"]:
        is_unknown = call["state"] == "unknown"
        has_no_amount = call["state"] == "confirmed" and call["cost_cents"] is None
        if call["kind"] == "operation" and (is_unknown or has_no_amount):
            yield call


def _ask(outside: Outside, call: str) -> Finding | None:
    """Whatever goes wrong in asking says nothing about the operation, and must not end whoever asks."""
    try:
        return outside.look_up(call)
    except Exception:
        log.exception("%s could not be looked up", call)
        return None


def _is_news(finding: Finding, call: Shown, history: Sequence[Shown]) -> bool:
    """That it is ambiguous, or was done for a price that nobody knows, is written down once, not at every look."""
    if finding.status == "not_found" or finding.cost_cents is not None:
        return True
    if finding.status == "confirmed":
        return bool(call["state"] == "unknown")
    about_it = [event["type"] for event in history if event["concerns"] == call["call"]]
    return about_it[-1:] != ["reconciled"]
