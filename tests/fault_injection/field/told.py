"""Ledgers told in short: what arrived, whether it acted, and whether anybody heard of it."""

from dataclasses import replace

from keepfact.conformance.field import Standing
from keepfact.fault_injection.field.facts import Facts, transfer_of
from keepfact.fault_injection.world.ledger import Endpoint, Entry, Happened

PRICES = {"plan": 3, "pay": 11, "transfer": 13, "words": 2}
SUCCEEDED = Standing(state="succeeded", native="DONE", recorded_cents=29, model_attempts=2)


def request(
    step: str, *, key: str | None = "k", acts: bool = True, heard: bool = True, cents: int = 10, at: float = 1.0
) -> tuple[Entry, ...]:
    """One request of the program; `cents` is what a transfer is over."""
    endpoint = Endpoint.MODEL if step in ("plan", "words") else Endpoint.TOOL
    path = "/v1/chat/completions" if endpoint is Endpoint.MODEL else f"/tools/{step}"
    digest = transfer_of(cents) if step == "transfer" else step
    own = key if endpoint is Endpoint.TOOL else None
    arrived = Entry(at, 0, endpoint, Happened.ARRIVED, "run-1", own, None, digest, says=path)
    acted = replace(arrived, happened=Happened.ACTED, cost_cents=PRICES[step], says=step)
    ended = replace(arrived, happened=Happened.ANSWERED if heard else Happened.CUT, status=200)
    return (arrived, *([acted] if acts else []), ended)


def facts(*requests: tuple[Entry, ...], last: Standing = SUCCEEDED, **more: object) -> Facts:
    """What is known after these requests, in this order."""
    entries = tuple(replace(entry, request=number) for number, entries in enumerate(requests, 1) for entry in entries)
    return Facts(entries, last, **more)  # type: ignore[arg-type]  # as Facts names them


WHOLE = (request("plan"), request("pay"), request("transfer"), request("words"))
"""The program, undisturbed."""
