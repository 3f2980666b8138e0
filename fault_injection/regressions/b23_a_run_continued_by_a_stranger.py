"""B23: whoever knows the id of somebody's run may start another from it, and inherits what it has found."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    Asking,
    Capability,
    Claim,
    Continue,
    Contract,
    EntryPoint,
    Fail,
    Grant,
    MaterialId,
    Observe,
    ReadMaterial,
    RunId,
    SaveMaterial,
    Session,
    SourceId,
    TenantId,
    UserId,
)

from ..regression import Regression
from ..told import BUDGET_CENTS, FIRST, ID, RUN, SUCCESSOR, WORKER, Told, done, fault, refused, running

OWN, NEXT = RunId("own"), RunId("next")
FINDING, SOURCE = MaterialId("finding"), SourceId("registry")
OWNER, OTHER = UserId("owner"), UserId("other")
STRANGER = Session(TenantId("strangers"), "stranger", EntryPoint.SUBMIT)


def inherited(lease_seconds: int) -> tuple[Told, ...]:
    """One who may not read the source is handed nothing of it, and a stranger does not even get a run."""
    stolen = Continue(ID, RunId("stolen"), RUN, OWNER, Contract.SETTLE, BUDGET_CENTS)
    return (
        *running(Contract.SETTLE),
        done(Grant(ID, SOURCE, OWNER)),
        done(SaveMaterial(ID, RUN, FIRST, FINDING, SOURCE, "digest of the finding", "today", lease_seconds)),
        done(Fail(ID, RUN, FIRST)),
        fault(refused(Asking(STRANGER, stolen))),
        fault(refused(Asking(replace(STRANGER, role=EntryPoint.OBSERVE), Observe(ID, RUN)))),
        fault(done(Continue(ID, NEXT, RUN, OTHER, Contract.SETTLE, BUDGET_CENTS))),
        done(Claim(ID, NEXT, WORKER)),
        fault(refused(ReadMaterial(ID, NEXT, FIRST, FINDING))),
        done(Continue(ID, OWN, RUN, OWNER, Contract.SETTLE, BUDGET_CENTS)),
        done(Claim(ID, OWN, SUCCESSOR)),
        done(ReadMaterial(ID, OWN, FIRST, FINDING)),
    )


REGRESSION = Regression(
    case="B23",
    name="b23_a_run_continued_by_a_stranger",
    fault="A run is continued by another tenant, and for a user who may not read what it has found.",
    rules=("CONTINUE.3", "CONTINUE.5", "TENANT.1"),
    defects=("whoever_asks_inherits_everything", "rows_open_to_all_tenants"),
    stories=(inherited,),
    contracts=(Contract.SETTLE,),
    needs=frozenset({Capability.MATERIALS, Capability.CONTINUATION, Capability.SESSIONS}),
)
