"""What a decision leads to: the command by which a worker carries it out, with all that the command says of it.

A worker writes it, and a replay looks for it in the history: said in one place, it is the same for both.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from .digests import arguments_of, digest_of, digest_of_text, digest_of_wait
from .prepared import Value
from .programs.decisions import (
    Approval,
    AskModel,
    Decision,
    Fail,
    Publish,
    ReadMaterial,
    SaveMaterial,
    Spawn,
    Succeed,
    TakeBranch,
    UseTool,
    WaitFor,
)
from .release import Bundle
from .texts import record_of


@dataclass(frozen=True, slots=True)
class Write:
    """A command about a run, and its fields but those that every command of a worker has."""

    command: str
    fields: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Consequences:
    """What the decisions of a run lead to, under the bundle that it was admitted with.

    Each raises for a decision with something that is not JSON, or not even text.
    """

    run: str
    bundle: Bundle

    def of(self, decision: Decision) -> Write:
        """What it leads to at first; the use of a tool can lead to another command, as below."""
        match decision:
            case AskModel():
                return self._attempt(decision)
            case UseTool():
                return self._operation(decision)
            case Publish(body, qualified):
                return Write("publish", {"body": body, "qualified": qualified})
            case SaveMaterial():
                return _finding(decision)
            case ReadMaterial(material):
                return Write("read_material", {"material": material})
            case Spawn():
                return self._child(decision)
            case TakeBranch(marker):
                return Write("mark", {"marker": marker, "branch": self.bundle.branch(marker)})
            case WaitFor():
                return self._wait(decision)
            case Succeed():
                return Write("succeed", {})
            case Fail(reason):
                return Write("fail", {"error": record_of(reason)})
            case _:
                assert_never(decision)

    def sending_again(self, decision: UseTool) -> Write:
        """Where it was not found, or the tool recognises what it was sent before."""
        return Write("send_again", {"call": self.id_of(decision.operation)})

    def asking_to_approve(self, decision: UseTool, approval: Approval) -> Write:
        """Where a person must approve first; without the name of the wait, which tells one request from the next."""
        return Write(
            "request_approval",
            {
                "call": self.id_of(decision.operation),
                "digest": digest_of(arguments_of(decision)),
                "risk": approval.risk,
                "basis": approval.basis,
                "seconds": approval.seconds,
            },
        )

    def id_of(self, name: str) -> str:
        """The id of what is called so within the run."""
        return f"{self.run}:{name}"

    def _attempt(self, decision: AskModel) -> Write:
        content = {"model": self.bundle.model, "messages": list(decision.messages)}
        return Write(
            "intend",
            {
                "call": self.id_of(decision.attempt),
                "kind": "attempt",
                "digest": digest_of(content),
                "ceiling_cents": decision.ceiling_cents,
                "supersedes": None if decision.supersedes is None else self.id_of(decision.supersedes),
            },
        )

    def _operation(self, decision: UseTool) -> Write:
        return Write(
            "intend",
            {
                "call": self.id_of(decision.operation),
                "kind": "operation",
                "digest": digest_of(arguments_of(decision)),
                "ceiling_cents": decision.ceiling_cents,
                "recognises": decision.recognises,
                "sends_max": decision.sends_max,
            },
        )

    def _child(self, decision: Spawn) -> Write:
        return Write(
            "spawn",
            {
                "spawn": decision.spawn,
                "child": self.id_of(decision.spawn),
                "budget_cents": decision.budget_cents,
                "input": decision.input,
            },
        )

    def _wait(self, decision: WaitFor) -> Write:
        return Write(
            "wait",
            {
                "wait": decision.wait,
                "kind": decision.kind,
                "digest": digest_of_wait(decision),
                "seconds": decision.seconds,
                "arrivals": decision.arrivals,
                "child": None if decision.child is None else self.id_of(decision.child),
            },
        )


def _finding(decision: SaveMaterial) -> Write:
    return Write(
        "save_material",
        {
            "material": decision.material,
            "source": decision.source,
            "digest": digest_of_text(decision.content),
            "as_of": decision.as_of,
            "fresh_seconds": decision.fresh_seconds,
            "derived_from": decision.derived_from,
            "replaces": decision.replaces,
            "judgement": decision.judgement,
            "content": decision.content,
        },
    )
