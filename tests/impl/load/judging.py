"""What is left after a load, before and after the bill, and what was delivered to it."""

import time
from collections import Counter
from pathlib import Path

import psycopg

from keepfact.impl.store import Store

from .. import errands
from .asking import Asker, Reader
from .outside import Truth, truths_at
from .terms import Load, Result
from .verdict import ENDS, Aftermath, aftermath, complaints

PAUSE_SECONDS = 0.1


def wait_for_evidence(load: Load, admin: psycopg.Connection, result: Result) -> None:
    """Nobody is killed any more: what the tools know is found out by recovery alone."""
    for _ in range(load.looks_in_vain_max):
        if not _unasked(admin):
            return
        time.sleep(PAUSE_SECONDS)
    result.complaints.append("what the tools know was not found out")


def _unasked(admin: psycopg.Connection) -> list[str]:
    """The operations of sealed runs that a tool was not heard about yet; a fax cannot be found out."""
    calls = admin.execute(
        "select c.call from keepfact.calls c join keepfact.runs r using (run) "
        "where r.state = 'unknown' and c.kind = 'operation' and c.unresolved and not exists ("
        "  select from keepfact.events e where e.run = c.run and e.concerns = c.call and e.type = 'reconciled')"
    )
    return [call for (call,) in calls]


def judge(store: Store, admin: psycopg.Connection, url: str, asker: Asker, reader: Reader, result: Result) -> None:
    """Before and after the bill: a named person says of each call that nobody could be asked about what it cost."""
    truths = truths_at(url)
    left = aftermath(store, admin, truths)
    result.states = Counter(run["state"] for run in left.runs.values())
    result.complaints += complaints(left, asker, reader)
    _bring_the_bill(asker, left, truths)
    settled = aftermath(store, admin, truths)
    result.after_evidence = Counter(run["state"] for run in settled.runs.values())
    result.complaints += [f"after the bill {said}" for said in complaints(settled, asker, reader)]
    result.complaints += [f"{run} is {shown['state']} after the bill" for run, shown in settled.runs.items()
                          if shown["state"] not in ENDS or shown["held_cents"]]  # fmt: skip
    result.figures |= {
        "runs": len(left.runs),
        "events": sum(map(len, settled.events.values())),
        "answers acknowledged": len(asker.answers),
        "answers lost and asked for again": asker.lost,
        "histories read meanwhile": reader.looks,
        "requests outside": sum(truth.requests for truth in truths.values()),
        "calls lost": sum(event[1] == "lost" for events in settled.events.values() for event in events),
        "calls sent again": sum(event[1] == "sent_again" for events in settled.events.values() for event in events),
        "grants by recovery": sum(
            event[1:3] == ("granted", "recover") for events in settled.events.values() for event in events
        ),
    }


def _bring_the_bill(asker: Asker, left: Aftermath, truths: dict[str, Truth]) -> None:
    """What was never found out, a named person knows."""
    for run in left.runs.values():
        for call in run["calls"]:
            truth = truths.get(call["call"], Truth())
            is_unresolved = call["state"] == "unknown" or (call["state"] == "confirmed" and call["cost_cents"] is None)
            if run["state"] == "unknown" and is_unresolved:
                acted = bool(truth.acts) or call["state"] == "confirmed"
                asker.hear(
                    asker.store,
                    "reconcile",
                    f"bill-{call['call']}",
                    run=run["run"],
                    call=call["call"],
                    evidence="confirmed" if acted else "not_found",
                    cost_cents=truth.cost_cents if acted else None,
                )


def kills_missing(load: Load, kills: Counter[str]) -> list[str]:
    """A load that killed nothing shows nothing."""
    wanted = {
        "worker": 1,
        "worker at work": 1,
        "recovery": 1 if load.recoveries else 0,
        "postgres": len(load.database_kills),
    }
    return [f"{kind} was killed {kills[kind]} times" for kind, least in wanted.items() if kills[kind] < least]


def outcries(logs: Path) -> list[str]:
    """Tracebacks of anybody, but for those of the program that is wrong on purpose."""
    texts = {log.name: log.read_text(errors="replace") for log in sorted(logs.glob("*.log"))}
    return [
        f"{name} says: {cry[:2000]}"
        for name, text in texts.items()
        for cry in text.split("Traceback (most recent call last):")[1:]
        if errands.WRONG not in cry
    ]
