"""Which rows each entry point of the implementation may write: the authority table, said in tables."""

from keepfact.conformance.abilities import EventsTable
from keepfact.spec.vocabulary import EntryPoint

SCHEMA, PREFIX = "keepfact", "keepfact"

EVENTS = EventsTable("events", run="run", type="type", entry_point="entry_point")

_ANSWERED = "insert answers"
_TOLD = "insert events"

MAY_WRITE: dict[EntryPoint, frozenset[str]] = {
    EntryPoint.OBSERVE: frozenset(),
    EntryPoint.SUBMIT: frozenset({_ANSWERED, _TOLD, "insert runs"}),
    EntryPoint.WORK: frozenset(
        {
            *(_ANSWERED, _TOLD, "update runs"),
            *("insert calls", "update calls", "insert publications", "insert markers"),
            *("insert waits", "update waits", "insert approvals", "update approvals"),
            *("insert children", "insert runs"),  # it spawns
            *("insert materials", "update inherited"),  # it saves, and reads what it was handed
            *("insert payloads", "update payloads"),  # kept once: whoever brings a text again touches its row
        }
    ),
    EntryPoint.RECOVER: frozenset({_ANSWERED, _TOLD, "update runs", "update calls", "update waits"}),
    EntryPoint.RECONCILE: frozenset({_ANSWERED, _TOLD, "update runs", "update calls"}),
    EntryPoint.CONTINUE: frozenset({_ANSWERED, _TOLD, "insert runs", "insert inherited"}),
    EntryPoint.DECIDE: frozenset({_ANSWERED, _TOLD, "update runs", "update waits", "update approvals"}),
    EntryPoint.DELIVER: frozenset({_ANSWERED, _TOLD, "insert arrivals", "update waits"}),
    EntryPoint.WAKE: frozenset({_ANSWERED, _TOLD, "update runs", "update waits"}),
    EntryPoint.CANCEL: frozenset({_ANSWERED, _TOLD, "update runs", "update calls", "update waits"}),
    EntryPoint.GRANT: frozenset({_ANSWERED, "insert readers", "delete readers"}),
    EntryPoint.DEPLOY: frozenset({_ANSWERED, "insert bundles", "update bundles", "update settings"}),
    EntryPoint.PURGE: frozenset({_ANSWERED, "delete payloads"}),
}
