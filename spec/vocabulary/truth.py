"""What really happened outside. Systems never see it; judges do."""

from dataclasses import dataclass

from .terms import CallId, CallKind, Fence


@dataclass(frozen=True, slots=True)
class CallTruth:
    """One call as the model or tool server saw it.

    `requests` counts what arrived on the wire, `acts` how often it took effect, `cost_cents` what it cost in all.
    `keys` are the idempotency keys under which the requests came, `fence` what the last of them carried.
    """

    call: CallId
    kind: CallKind
    requests: int
    acts: int
    cost_cents: int
    keys: tuple[str, ...] = ()
    fence: Fence | None = None


@dataclass(frozen=True, slots=True)
class Truth:
    """Every call that arrived outside, in order of first arrival; `tool_release` counts the tool's releases from 1."""

    calls: tuple[CallTruth, ...] = ()
    tool_release: int = 1

    def of(self, call: CallId) -> CallTruth | None:
        """The truth about one call; None if nothing ever arrived under its id."""
        for truth in self.calls:
            if truth.call == call:
                return truth
        return None


NOTHING = Truth()
"""The truth before anything arrived outside."""
