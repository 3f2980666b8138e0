"""The HTTP surface as data: what stands here is routed and documented."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel

from . import bodies as b
from . import shown
from .queries import EventsQuery, ListQuery, ObserveQuery, StreamQuery

Tag = Literal["runs", "work", "waits", "stores", "process"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to be asked. With a `body` it is the store's command `name`, else a reading of this gateway.

    `scope` is the entry point that a token must be allowed; None: no token is needed. Names in braces in the path are
    fields, those in `fixed` have one value here. `answer` is what comes with 200: a form of JSON, or a media type.
    """

    method: str
    path: str
    name: str
    scope: str | None
    tag: Tag
    body: type[b.Body] | None = None
    query: type[BaseModel] | None = None
    answer: type[BaseModel] | str = shown.Done
    fixed: dict[str, str | None] = field(default_factory=dict)

    @property
    def path_fields(self) -> tuple[str, ...]:
        """The names in braces."""
        return tuple(part[1:-1] for part in self.path.split("/") if part.startswith("{"))


def entries_at(doors: Collection[str]) -> list[Entry]:
    """What can be asked of a gateway that opens these entry points."""
    return [entry for entry in ENTRIES if entry.scope is None or entry.scope in doors]


ENTRIES = (
    Entry("GET", "/v1/runs", "list_runs", "observe", "runs", query=ListQuery, answer=shown.Runs),
    Entry("GET", "/v1/runs/{run}", "observe", "observe", "runs", query=ObserveQuery, answer=shown.Run),
    Entry("GET", "/v1/runs/{run}/events", "events", "observe", "runs", query=EventsQuery, answer=shown.Events),
    Entry("GET", "/v1/runs/{run}/stream", "stream", "observe", "runs", query=StreamQuery, answer="text/event-stream"),
    Entry("GET", "/healthz", "healthz", None, "process", answer=shown.Health),
    Entry("GET", "/readyz", "readyz", None, "process", answer=shown.Health),
    Entry("GET", "/metrics", "metrics", None, "process", answer="text/plain"),
    Entry("GET", "/openapi.json", "openapi", None, "process", answer=shown.Document),
    Entry("POST", "/v1/runs", "submit", "submit", "runs", b.Submit),
    Entry("POST", "/v1/runs/{source}/continue", "continue", "continue", "runs", b.Continue),
    Entry("POST", "/v1/runs/{run}/cancel", "cancel", "cancel", "runs", b.Cancel),
    Entry("POST", "/v1/runs/{run}/recover", "recover", "recover", "runs", b.Recover),
    Entry("POST", "/v1/runs/{run}/reconcile", "reconcile", "reconcile", "runs", b.Reconcile),
    Entry("POST", "/v1/runs/{run}/assess", "assess", "decide", "runs", b.Assess),
    Entry("POST", "/v1/queue/claim", "claim", "work", "work", b.Claim, fixed={"run": None}),
    Entry("POST", "/v1/runs/{run}/claim", "claim", "work", "work", b.Claim),
    Entry("POST", "/v1/runs/{run}/renew", "renew", "work", "work", b.Renew),
    Entry("POST", "/v1/runs/{run}/release", "release", "work", "work", b.Release),
    Entry("POST", "/v1/runs/{run}/intend", "intend", "work", "work", b.Intend),
    Entry("POST", "/v1/runs/{run}/send-again", "send_again", "work", "work", b.SendAgain),
    Entry("POST", "/v1/runs/{run}/record-answer", "record_answer", "work", "work", b.RecordAnswer),
    Entry("POST", "/v1/runs/{run}/mark-unknown", "mark_unknown", "work", "work", b.MarkUnknown),
    Entry("POST", "/v1/runs/{run}/publish", "publish", "work", "work", b.Publish),
    Entry("POST", "/v1/runs/{run}/mark", "mark", "work", "work", b.Mark),
    Entry("POST", "/v1/runs/{run}/succeed", "succeed", "work", "work", b.Succeed),
    Entry("POST", "/v1/runs/{run}/fail", "fail", "work", "work", b.Fail),
    Entry("POST", "/v1/runs/{run}/stop", "stop", "work", "work", b.Stop),
    Entry("POST", "/v1/runs/{run}/spawn", "spawn", "work", "work", b.Spawn),
    Entry("POST", "/v1/runs/{run}/save-material", "save_material", "work", "work", b.SaveMaterial),
    Entry("POST", "/v1/runs/{run}/read-material", "read_material", "work", "work", b.ReadMaterial),
    Entry("POST", "/v1/runs/{run}/wait", "wait", "work", "waits", b.Wait),
    Entry("POST", "/v1/runs/{run}/request-approval", "request_approval", "work", "waits", b.RequestApproval),
    Entry("POST", "/v1/runs/{run}/decide", "decide", "decide", "waits", b.Decide),
    Entry("POST", "/v1/runs/{run}/deliver", "deliver", "deliver", "waits", b.Deliver),
    Entry("POST", "/v1/runs/{run}/wake", "wake", "wake", "waits", b.Wake),
    Entry("POST", "/v1/sources/{source}/grant", "grant", "grant", "stores", b.Grant),
    Entry("POST", "/v1/sources/{source}/revoke", "revoke", "grant", "stores", b.Revoke),
    Entry("POST", "/v1/bundles/{bundle}/deploy", "deploy", "deploy", "stores", b.Deploy),
    Entry("POST", "/v1/bundles/{bundle}/retire", "retire", "deploy", "stores", b.Retire),
    Entry("POST", "/v1/schema/migrate", "migrate", "deploy", "stores", b.Migrate),
    Entry("POST", "/v1/schema/end-migration", "end_migration", "deploy", "stores", b.EndMigration),
    Entry("POST", "/v1/payloads/{payload}/purge", "purge", "purge", "stores", b.Purge),
)
"""Everything that can be asked: each command of the store, and what this gateway reads of runs and of itself."""
