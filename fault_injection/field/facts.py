"""What is known of one trial, all of it from outside: the ledger of truth, and what the engine said."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

from keepfact.conformance.field import Figures, Standing

from ..world.ledger import Endpoint, Entry, Happened, digest_of

SHOWN_CENTS, CHANGED_CENTS = 10, 1000
"""What whoever approved was shown, and what the second release would send."""

WORKER_HEADER = "keepfact-worker"

_SENDS = frozenset({Endpoint.MODEL, Endpoint.TOOL})


@dataclass(frozen=True, slots=True)
class Facts:
    """`entries` are the ledger's lines about the run, `last` is what the engine said when all was over.

    `first_end` is what it said when the run had first ended, `woken_at` the wall time after that at which a worker that
    had been stopped was let go on. `upgraded`: what it said while only the second release's workers were there.
    Before `cancelled_at` the engine had taken the request to cancel.
    """

    entries: tuple[Entry, ...]
    last: Standing
    first_end: Standing | None = None
    woken_at: float | None = None
    upgraded: Standing | None = None
    killed_at: float | None = None
    cancelled_at: float | None = None

    @property
    def requests(self) -> tuple[Entry, ...]:
        """What was sent to the model and to tools, in the order of arrival."""
        return tuple(one for one in self.entries if one.happened is Happened.ARRIVED and one.endpoint in _SENDS)

    def to(self, tool: str) -> tuple[Entry, ...]:
        """The requests to one tool."""
        return tuple(one for one in self.requests if tool_of(one) == tool)

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that were asked, in order."""
        return tuple(dict.fromkeys(tool for one in self.requests if (tool := tool_of(one))))

    def acts(self, tool: str) -> int:
        """How often a tool took effect."""
        numbers = {one.request for one in self.to(tool)}
        return sum(one.happened is Happened.ACTED and one.request in numbers for one in self.entries)

    def is_answered(self, number: int) -> bool:
        """Somebody heard the answer to the request of that number."""
        return any(one.request == number and one.happened is Happened.ANSWERED for one in self.entries)

    def has_acted(self, number: int) -> bool:
        return any(one.request == number and one.happened is Happened.ACTED for one in self.entries)

    @property
    def true_cents(self) -> int:
        return sum(one.cost_cents for one in self.entries if one.happened is Happened.ACTED)

    @property
    def lost_effects(self) -> tuple[str, ...]:
        """Tools that acted under a key of which nobody ever heard what became of it, neither by asking nor looking."""
        heard = {(one.key, one.digest) for one in self.requests if self.is_answered(one.request)}
        looked_up = {
            one.key for one in self.entries if one.endpoint is Endpoint.LOOKUP and one.happened is Happened.ANSWERED
        }
        return tuple(
            dict.fromkeys(
                tool
                for one in self.requests
                if (tool := tool_of(one)) and self.has_acted(one.request)
                if (one.key, one.digest) not in heard and one.key not in looked_up
            )
        )

    @property
    def figures(self) -> Figures:
        """Truth beside the record."""
        first = self.to("pay")
        return Figures(
            model_requests=sum(one.endpoint is Endpoint.MODEL for one in self.requests),
            tool_requests=sum(one.endpoint is Endpoint.TOOL for one in self.requests),
            keys=len({one.key for one in first}),
            acts=sum(self.acts(tool) for tool in self.tools),
            true_cents=self.true_cents,
            recorded_cents=self.last.recorded_cents,
            held_cents=self.last.held_cents,
            unresolved=self.last.unresolved,
            end=self.last.state,
        )


def tool_of(entry: Entry) -> str | None:
    """The tool that a request was for."""
    return entry.says.rpartition("/tools/")[2] if entry.endpoint is Endpoint.TOOL and "/tools/" in entry.says else None


def transfer_of(cents: int) -> str:
    """The digest of the second effect with that amount."""
    return digest_of({"to": "supplier", "amount_cents": cents})


@dataclass
class Story:
    """What the kit did and saw, with the time of each; together with the ledger it is told in order."""

    lines: list[tuple[float, str]] = field(default_factory=list)

    def note(self, at: float, says: str) -> None:
        self.lines.append((at, says))

    def told(self, entries: tuple[Entry, ...]) -> tuple[str, ...]:
        """Everything in order, each line with its wall time."""
        tools = {one.request: tool for one in entries if (tool := tool_of(one))}  # only what arrives says its path
        outside = [(one.at, _line(one, tools.get(one.request, one.endpoint))) for one in entries]
        return tuple(f"{_clock(at)} {says}" for at, says in sorted([*self.lines, *outside], key=lambda line: line[0]))


def _line(entry: Entry, what: str) -> str:
    said = {
        Happened.ARRIVED: f"arrived{_sender(entry)}, key {entry.key or 'none'}, body {entry.digest[:8]}",
        Happened.ACTED: f"acted, {entry.cost_cents} cents",
        Happened.ANSWERED: f"answered {entry.status}",
        Happened.REFUSED: f"refused {entry.status}: {entry.says}",
        Happened.CUT: f"cut: {entry.says}",
    }[entry.happened]
    return f"outside: {what} request {entry.request} {said}"


def _sender(entry: Entry) -> str:
    """The worker, as outside.py of the cells says it; nothing else needs to."""
    worker = (entry.headers or {}).get(WORKER_HEADER)
    return f" from {worker}" if worker else ""


def _clock(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%H:%M:%S.%f}"[:-3]
