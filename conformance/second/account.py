"""The checker's own account of a history: what was granted, intended, sent, decided, delivered, published, ended.

It is made from commands and their outcomes, so that a system that forgets or rewrites something is found out by what
it said earlier.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .complaint import Finding
from .seen import READS, Seen
from .words import ENDS, Thing, call_in, run_in, sha256, wait_in


@dataclass
class Account:
    """Everything is kept under the id of its run and its own id."""

    fences: dict[str, int] = field(default_factory=dict)
    """The highest fence that a run was seen under or that was handed out for it."""
    answers: dict[str, tuple[Thing, Thing]] = field(default_factory=dict)
    """Under the id of a command: the command, and its Done or Lost."""
    sends: dict[tuple[str, str], int] = field(default_factory=dict)
    answered: dict[tuple[str, str], tuple[str, int | None]] = field(default_factory=dict)
    verdicts: dict[tuple[str, str], bool] = field(default_factory=dict)
    """The decision on each request for approval."""
    arrivals: dict[tuple[str, str, int], str] = field(default_factory=dict)
    bodies: dict[str, list[str]] = field(default_factory=dict)
    ends: dict[str, str] = field(default_factory=dict)
    credentials: set[str] = field(default_factory=set)
    """And their bare digests, against which anybody can try guesses."""
    decisions: dict[tuple[str, Any], str | None] = field(default_factory=dict)
    """What a run would do next, by what its history said."""
    users: dict[str, str] = field(default_factory=dict)
    """For whom a run was continued."""
    schemas: dict[str, int] = field(default_factory=dict)
    """The version of tables that the holder of a run is written for."""
    is_chained: bool = False
    """Some event had a digest, so all must."""

    def answer_to(self, cause: Thing) -> Thing | None:
        """What was answered when the very same command was given before."""
        first = self.answers.get(cause.get("command_id", ""))
        return first[1] if first is not None and first[0] == cause else None

    def is_conflict(self, seen: Seen) -> bool:
        """It is refused because another command stands under its id."""
        first = self.answers.get(seen.cause["command_id"])
        reason = seen.outcome.get("reason") if seen.outcome is not None else None
        return reason == "command_id_conflict" and first is not None and first[0] != seen.cause

    def fence_of(self, run: Thing) -> int:
        return max(self.fences.get(run["run"], 0), int(run["fence"]))

    def contradictions(self, seen: Seen) -> Iterator[Finding]:
        """Where what is shown after a step is not what the account says. To be asked after the step was learned."""
        for run in seen.after["runs"]:
            if run is not run_in(seen.before, run["run"]):
                yield from self._contradictions(run)

    def learn(self, seen: Seen) -> None:
        """Write a step into the account."""
        for run in seen.after["runs"]:
            self.fences[run["run"]] = self.fence_of(run)
            self.is_chained = self.is_chained or any(event["digest"] for event in run["history"][-1:])
            if run["state"] in ENDS:
                self.ends.setdefault(run["run"], run["state"])
        if not seen.is_command:
            return
        if seen.name not in READS and (seen.is_done or seen.ended("Lost")) and not self._is_done(seen.cause):
            assert seen.outcome is not None
            self.answers[seen.cause["command_id"]] = (seen.cause, seen.outcome)
        if seen.get("credential"):
            self.credentials |= {seen.cause["credential"], sha256(seen.cause["credential"])}
        if seen.took_effect and seen.run is not None:
            self._learn_effect(seen, seen.run, seen.cause)

    def _is_done(self, cause: Thing) -> bool:
        answer = self.answer_to(cause)
        return answer is not None and answer["is"] == "Done"

    def _learn_effect(self, seen: Seen, run: str, cause: Thing) -> None:
        match cause:
            case {"is": "Claim", "schema": schema}:
                self.schemas[run] = schema
            case {"is": "Intend", "call": call}:
                self.sends.setdefault((run, call), 1)
            case {"is": "SendAgain", "call": call}:
                self.sends[run, call] = self.sends.get((run, call), 1) + 1
            case {"is": "RecordAnswer", "call": call}:
                self.answered[run, call] = (cause["answer"], cause["cost_cents"])
            case {"is": "Decide", "wait": wait}:
                self.verdicts.setdefault((run, wait), cause["approved"])
            case {"is": "Deliver", "wait": wait, "number": number}:
                self.arrivals.setdefault((run, wait, number), cause["digest"])
            case {"is": "Publish", "body": body}:
                self.bodies.setdefault(run, []).append(body)
            case {"is": "Continue", "user": user}:
                self.users[run] = user

    def _contradictions(self, run: Thing) -> Iterator[Finding]:
        name = run["run"]
        if run["fence"] < self.fences.get(name, 0):
            yield "FENCE.1", f"{name} shows a lower fence than it was granted under"
        for (owner, call), sends in self.sends.items():
            shown = call_in(run, call) if owner == name else None
            if owner == name and (shown is None or shown["sends"] < sends):
                yield "EFFECT.8" if shown else "EFFECT.1", f"{call} was sent {sends} times, and less is shown"
        for (owner, call), (text, cents) in self.answered.items():
            shown = call_in(run, call) if owner == name else None
            if shown is not None and shown["answer"] != text:
                yield "EFFECT.9", f"the answer of {call} is not the one that was recorded"
            if shown is not None and cents is not None and shown["cost_cents"] != cents:
                yield "COST.5" if cents == 0 else "COST.7", f"the amount of {call} is not the one that was recorded"
        for (owner, wait), approved in self.verdicts.items():
            shown = wait_in(run, wait) if owner == name else None
            if shown is not None and shown["approved"] is not approved:
                yield "APPROVAL.5", f"the decision on {wait} is not the one that was made"
        for (owner, wait, number), digest in self.arrivals.items():
            here = [one for one in run["arrivals"] if (one["wait"], one["number"]) == (wait, number)]
            if owner == name and [one["digest"] for one in here] != [digest]:
                yield "WAKE.8", f"arrival {number} for {wait} is not kept as it came"
        if not set(self.bodies.get(name, ())) <= {one["body"] for one in run["publications"]}:
            yield "SETTLE.3", f"what {name} has published is not there as it was"
        if run["state"] != self.ends.get(name, run["state"]):
            yield "FENCE.6", f"{name} had ended as {self.ends[name]}"
        yield from self._decision(run)

    def _decision(self, run: Thing) -> Iterator[Finding]:
        """The same history has the same next decision, whenever it is looked at."""
        events = tuple((event["type"], event["concerns"], event["fence"]) for event in run["history"])
        first = self.decisions.setdefault((run["run"], events), run["next_decision"])
        if first != run["next_decision"]:
            yield "HISTORY.5", f"the next decision of {run['run']} changed, its history did not"
