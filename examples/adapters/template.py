"""An adapter to fill in: every blank says what it wants, and `keepfact verify` asks for them one after the other.

Copy it, put your system in, and run: keepfact verify --system my_adapter:MySystem
"""

from collections.abc import Sequence
from typing import NoReturn

from keepfact.spec import vocabulary as kf


class MySystem:
    """keepfact makes one without arguments, drives it, and closes it."""

    name = "my system"
    lease_seconds = 30  # how long a lease lasts that is not renewed
    contracts = frozenset({kf.Contract.SETTLE})  # or RESUME, or both: what becomes of a run whose worker is lost
    capabilities = frozenset[kf.Capability]()  # what goes beyond a run with its calls, as kf.Capability.WAITS

    def __init__(self) -> None:
        """Connect to your system, with nothing in it."""

    def perform(self, command: kf.Command) -> kf.Outcome:
        """Done, perhaps with what was asked for; Refused for one of kf.Reason; Lost where nobody knows: a timeout is
        Lost. Under a `command_id` that was used before: the first answer again, if it was Done. What your system cannot
        store (half a character, a NUL, a number too large) is Refused(MALFORMED), or UNSTORABLE for an answer or body,
        and changes nothing: to raise there violates ENTRY.5, and anywhere else leaves no verdict.
        """
        match command:
            case kf.Submit(run=run, budget_cents=cents):
                blank(f"admit run {run} with a budget of {cents} cents")
            case kf.Claim(run=run, worker=worker):
                blank(f"lease run {run} to {worker}; Done(LeaseGrant(fence, seconds)), fences count 1, 2, 3 in a run")
            case kf.Renew(run=run, fence=fence):
                blank(f"extend the lease of run {run} to its full length from now, if {fence} is its fence")
            case kf.Release(run=run, fence=fence):
                blank(f"hand run {run} back to the queue, unless a call is open")
            case kf.Intend(run=run, call=call, ceiling_cents=cents):
                blank(
                    f"write down, before anything is sent, that run {run} makes call {call} for at most {cents} cents"
                )
            case kf.RecordAnswer(run=run, call=call, cost_cents=cents):
                blank(f"store the answer of call {call} of run {run}; {cents} is None where it named no amount")
            case kf.MarkUnknown(run=run, call=call):
                blank(f"note that the answer of call {call} of run {run} was lost: neither done nor failed")
            case kf.Publish(run=run, body=body):
                blank(f"store {body!r} as the next version of what the user of run {run} sees")
            case kf.Succeed(run=run):
                blank(f"end run {run} well; as unknown instead while anything is unresolved")
            case kf.Fail(run=run):
                blank(f"end run {run} badly; its open calls become unknown")
            case kf.Recover(run=run):
                blank(f"bring run {run}, whose lease is over, to an honest end; under RESUME to {command.worker}")
            case kf.Reconcile(run=run, call=call, evidence=evidence):
                blank(f"take in that call {call} of run {run} is {evidence}")
            case kf.Observe(run=run):
                blank(f"Done() if there is a run {run}, else Refused(NO_SUCH_RUN); nothing is written")
        blank(f"do {type(command).__name__}, which comes with a capability that you declare")

    def observe(self, runs: Sequence[kf.RunId]) -> kf.Observation:
        """These runs as they are stored now, those that there are; nothing is written."""
        return kf.Observation(tuple(view for run in runs if (view := self._view(run)) is not None))

    def _view(self, run: kf.RunId) -> kf.RunView | None:
        """kf.RunView(run, contract, state, fence, budget_cents, known_cents, held_cents, unresolved, …).

        Its calls are kf.CallView, its bodies kf.PublicationView, its events kf.EventView: those say how they are
        chained. adapter.py beside this file has an example of each.
        """
        blank(f"show run {run}, or None if there is none")

    def tick(self, seconds: int) -> None:
        """Move the clock that your leases follow."""
        blank(f"let {seconds} seconds pass for the leases")

    def versions(self) -> dict[str, str]:
        """What is under test."""
        return {self.name: "1"}

    def close(self) -> None:
        """Leave nothing behind."""


def blank(what: str) -> NoReturn:
    """Something that is still to be filled in."""
    raise NotImplementedError(f"fill this in: {what}")
