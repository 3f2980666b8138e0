"""How far a run has come where people decide, own sources, or roll out releases."""

from .driving import Driver
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


def drifted(what: str, before: Stage = approved) -> Stage:
    """The same, but what the approval is bound to has changed."""
    return lambda run: before(run).drifts(what)


lost_but_recognised = then(
    running,
    ("intend", {"call": "a", "kind": "operation", "recognises": True, "sends_max": 2}),
    ("mark_unknown", {"call": "a"}),
)

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


def source_running(run: Driver) -> Driver:
    open_call(source_of(run))
    return run


def deployed(run: Driver) -> Driver:
    """There is a second bundle, which knows of a change."""
    done(run.do("deploy", bundle="bundle-2", replayed=1, diverged=0, markers=("faster",)))
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


def granted_to_reader(run: Driver) -> Driver:
    done(run.do("grant", source="library", user_="reader"))
    return run


def migrating(run: Driver) -> Driver:
    """Both versions are served, and no lease is left, whoever had one."""
    done(run.do("migrate"))
    return run.lapsed()
