"""What a release would wait for where a run waits: the digest that a wake is asked with."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from .decider import decide_past, fold
from .digests import arguments_of, digest_of, digest_of_wait
from .programs.decisions import UseTool, WaitFor
from .release import Release

log = logging.getLogger("keepfact.worker")


def digest_at(release: Release, history: Sequence[Mapping[str, Any]], wait: str) -> str:
    """Of what the release's program waits for at that wait; something else, if it would not wait there."""
    before: list[Mapping[str, Any]] = []
    for event in history:
        if event["type"] == "waited" and event["concerns"] == wait:
            break
        before.append(event)
    try:
        decision = decide_past(release.bundle_of(history), fold(before))
        if isinstance(decision, WaitFor):
            return digest_of_wait(decision)
        if isinstance(decision, UseTool):
            return digest_of(arguments_of(decision))
    except Exception:  # of the program, which must not end the worker
        log.exception("what %s waits for cannot be made again", wait)
    return "nothing is waited for here"
