"""How far a run has come where people decide, own sources, or roll out releases."""

import hashlib

from keepfact.impl.prepared import Value

from .driving import Driver, fresh
from .stages import Stage, done, expires, lost_call, open_call, published, queued, running, then


def asked(wait: str = "p", call: str = "pay", digest: str = "d") -> tuple[str, dict[str, object]]:
    """The command that asks a person to approve one operation."""
    return "request_approval", {
        "wait": wait, "call": call, "digest": digest, "risk": "low", "basis": "the plan", "seconds": 60,
    }  # fmt: skip


def decided(approved: bool, wait: str = "p", digest: str = "d") -> tuple[str, dict[str, object]]:
    """The command by which a person answers."""
    return "decide", {"wait": wait, "approved": approved, "digest": digest}


PAY: dict[str, object] = {"call": "pay", "kind": "operation", "digest": "d", "approval": "p"}
"""What is intended with the approval."""

requested = then(running, asked())
request_expired = expires(requested)
request_closed = then(requested, ("cancel", {}))
approved_asleep = then(requested, decided(True))


def up_again(before: Stage, wait: str = "p") -> Stage:
    """The same, and granted again after the decision."""
    return lambda run: before(run).granted("wake", wait=wait, worker="w", digest="d")


approved = up_again(approved_asleep)
denied = up_again(then(requested, decided(False)))
used = then(approved, ("intend", PAY))
approved_and_used = then(used, ("record_answer", {"call": "pay", "answer": "paid", "cost_cents": 1}))


request_settled = then(request_expired, ("recover", {}))

asked_again = up_again(then(lambda run: approved(run).drifts("plan"), asked("q"), decided(True, "q")), "q")
"""Approved once, and once more after the plan had changed."""


def outlasting(before: Stage) -> Stage:
    """The same, so much later that every wait is over, but renewed all the while."""

    def after(run: Driver) -> Driver:
        before(run)
        for _ in range(3):
            done(run.later(20).do("renew"))
        return run

    return after


approved_and_over = outlasting(approved)

RECOGNISED: dict[str, object] = {**PAY, "recognises": True, "sends_max": 2}
used_and_lost = then(approved, ("intend", RECOGNISED), ("mark_unknown", {"call": "pay"}))


def drifted(what: str, before: Stage = approved) -> Stage:
    """The same, but what the approval is bound to has changed."""
    return lambda run: before(run).drifts(what)


lost_but_recognised = then(
    running,
    ("intend", {"call": "a", "kind": "operation", "recognises": True, "sends_max": 2}),
    ("mark_unknown", {"call": "a"}),
)

recognised_and_spent = then(lost_but_recognised, ("send_again", {"call": "a"}), ("mark_unknown", {"call": "a"}))
not_found_and_budget_spent = then(
    lost_but_recognised,
    ("reconcile", {"call": "a", "evidence": "not_found", "cost_cents": None}),
    ("intend", {"call": "b", "ceiling_cents": 91}),
)


def call_of_another_run(run: Driver) -> Driver:
    """Running, while another run of the tenant has the id that the test is going to use."""
    other = Driver(run.store, run.admin).claimed()
    intent: dict[str, Value] = {"call": run.id_of("a"), "kind": "attempt", "digest": "d", "ceiling_cents": 1}
    done(run.store.perform("intend", command_id=fresh("command"), run=other.run, fence=other.fence, **intent))
    return running(run)


def request_taken(run: Driver) -> Driver:
    """Not admitted, but its request was, as another run."""
    other = Driver(run.store, run.admin)
    done(other.do("submit", contract="settle", budget_cents=1, request=f"{run.run}-request"))
    return run


MATERIAL: dict[str, object] = {
    "material": "m", "source": "library", "digest": "d", "as_of": "2026-01-01", "fresh_seconds": 60,
}  # fmt: skip
saved = then(running, ("save_material", MATERIAL))


def handed_over(run: Driver) -> Driver:
    """Running, as the continuation of a run that saved a finding, for a user who may read it."""
    source = source_of(run)
    saved(source)
    done(source.do("fail"))
    done(run.do("grant", source="library", user_="reader"))
    done(run.do("continue", source=source.run, user_="reader", contract="settle", budget_cents=100))
    return run.granted("claim", worker="w")


def source_of(run: Driver) -> Driver:
    """The run that is continued."""
    return Driver(run.store, run.admin, f"{run.run}-source")


def revoked(run: Driver) -> Driver:
    """Handed over, and then the grant was withdrawn."""
    done(handed_over(run).do("revoke", source="library", user_="reader"))
    return run


def source_ended(run: Driver) -> Driver:
    """Not admitted yet, but there is something to continue."""
    published(source_of(run)).do("succeed")
    return run


def source_sealed(run: Driver) -> Driver:
    """The same with a call of which nobody knows anything."""
    lost_call(source_of(run)).do("fail")
    return run


def source_ended_and_queued(run: Driver) -> Driver:
    return queued(source_ended(run))


def source_ended_and_request_taken(run: Driver) -> Driver:
    return request_taken(source_ended(run))


def source_ended_all_retired(run: Driver) -> Driver:
    return all_retired(source_ended(run))


def source_running(run: Driver) -> Driver:
    open_call(source_of(run))
    return run


SECOND_BUNDLE: dict[str, Value] = {"bundle": "bundle-2", "replayed": 1, "diverged": 0, "markers": ("faster",)}


def deployed(run: Driver) -> Driver:
    """There is a second bundle, which knows of a change."""
    done(run.do("deploy", **SECOND_BUNDLE))
    return run


def on_second_bundle(run: Driver) -> Driver:
    """Running, under the second bundle."""
    return queued(deployed(run)).granted("claim", worker="w", supports=("bundle-2",))


def first_retired(run: Driver) -> Driver:
    done(deployed(run).do("retire", bundle="bundle-1"))
    return run


def all_retired(run: Driver) -> Driver:
    done(first_retired(run).do("retire", bundle="bundle-2"))
    return run


LARGE = "a large text " * 100
"""More than is kept inline."""

published_large = then(running, ("publish", {"body": LARGE, "qualified": True}))
large_and_over = then(published_large, ("succeed", {}))
large_and_unknown = then(lost_call, ("publish", {"body": LARGE, "qualified": True}), ("succeed", {}))
answered_large = then(open_call, ("record_answer", {"call": "a", "answer": LARGE, "cost_cents": 1}))
LARGE_DIGEST = hashlib.sha256(LARGE.encode()).hexdigest()
call_beside_large = then(open_call, ("publish", {"body": LARGE, "qualified": True}))
large_finding_and_over = then(published_large, ("save_material", {**MATERIAL, "digest": LARGE_DIGEST}), ("succeed", {}))
"""Over, but a finding rests on the text."""


def migrated(run: Driver) -> Driver:
    """In the queue, and only workers of the second version are served."""
    done(migrating(run).do("end_migration"))
    return queued(run)


def migrating_under_an_old_worker(run: Driver) -> Driver:
    """Both versions are served, and a worker of the first has a lease."""
    return running(migrating(run))


def granted_to_reader(run: Driver) -> Driver:
    done(run.do("grant", source="library", user_="reader"))
    return run


def migrating(run: Driver) -> Driver:
    """Both versions are served, and no lease is left, whoever had one."""
    done(run.do("migrate"))
    return run.lapsed()
