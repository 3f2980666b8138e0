"""The protocol as data: what can be asked, in which form, and what the answer means."""

from dataclasses import dataclass

from pydantic import BaseModel

from .forms import Described, Drifting, Observing, Performing, Ticking


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to be asked. `answer` names the form of what comes with 200; without one it is 204 and nothing."""

    method: str
    path: str
    name: str
    about: str
    asked: type[BaseModel] | None = None
    answer: str | None = None


ENTRIES = (
    Entry(
        "GET", "/system", "system",
        "What the system is. Asked first, once.",
        answer=Described.__name__,
    ),
    Entry(
        "POST", "/begin", "begin",
        "Start afresh, as a trace does: no runs, no bundles but the first, no readers or payloads; versions in force "
        "and of tables are 1. Nothing earlier may be met by what is asked from here on. A system that keeps nothing "
        "beyond one run may do nothing: every trace has ids of its own.",
    ),
    Entry(
        "POST", "/perform", "perform",
        "Do one command in the session of its entry point, or in the one that is given. Done: it happened and is "
        "durable. Refused: it certainly did not. Lost: the system itself does not know. A connection that is cut, or "
        "a time-out, is taken as Lost.",
        Performing, "Outcome",
    ),
    Entry(
        "POST", "/observe", "observe",
        "Show these runs, and what is kept beyond one run. Must write nothing; it may be asked again.",
        Observing, "Observation",
    ),
    Entry("POST", "/tick", "tick", "Move the store's clock on; it moves by nothing else.", Ticking),
    Entry(
        "POST", "/drift", "drift",
        "Change something that approvals are bound to. Asked only of a system that offers `approvals`.",
        Drifting,
    ),
    Entry(
        "POST", "/restart", "restart",
        "Stop the processes of the system and start them again; what was only in memory is gone. Answer once it can be "
        "asked again. Asked only of a system that offers `waits`.",
    ),
    Entry(
        "POST", "/close", "close",
        "keepfact is done, for now: whatever was made for it can go. Need not be there, and its answer is not read.",
    ),
)  # fmt: skip
