"""Requests to the model and to tools: the intent is committed before anything is sent, and what came of it after."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from .consequences import Consequences, Write
from .insisting import RefusedError, StoppedError
from .outside import Answer, Outside, Refusal, Reply
from .prepared import Value
from .programs.decisions import Approval, AskModel, CallFact, Progress, UseTool
from .texts import record_of
from .writing import Writing

log = logging.getLogger("keepfact.worker")

ASK_ANEW = frozenset({"drifted", "expired", "not_permitted", "approval_used"})
"""Reasons after which an approval does not count any more: a person is shown what has changed, and asked again."""


class ProgramError(Exception):
    """The program has decided what must not be done."""


@dataclass(frozen=True)
class Calling:
    """The calls of one grant. `look_up` asks the tools about operations whose answer is lost."""

    writing: Writing
    outside: Outside
    consequences: Consequences
    look_up: Callable[[], None]

    def ask_model(self, decision: AskModel, progress: Progress) -> None:
        """Make one attempt. Raises ProgramError for one that was made before."""
        if decision.attempt in progress.calls:
            raise ProgramError(f"{decision.attempt} was made before; asking again is an attempt of its own")
        self._intend("attempt", self.consequences.of(decision))
        model = self.consequences.bundle.model
        self._send(
            "attempt", "model", decision.attempt, lambda call: self.outside.ask_model(call, model, decision.messages)
        )

    def use_tool(self, decision: UseTool, progress: Progress) -> bool:
        """Send it, or send it once more; or first have a person approve it. Whether the run waits for that now.

        Raises ProgramError for one that must not be sent once more.
        """
        fact = progress.calls.get(decision.operation)
        if fact is not None:
            if not may_be_sent_again(fact, decision):
                raise ProgramError(f"{decision.operation} is {fact.state}, and must not be sent again")
            self._write(self.consequences.sending_again(decision), "sending again", "sent again")
        elif not self._intend_approved(decision, progress):
            return True
        self._send(
            "operation",
            "tool",
            decision.operation,
            lambda call: self.outside.use_tool(
                call, decision.tool, decision.arguments, self.writing.lease.grant.fence
            ),
        )  # fmt: skip
        return False

    def _intend_approved(self, decision: UseTool, progress: Progress) -> bool:
        """Commit the intent; false if a person is asked instead, at first or anew."""
        request = progress.requests.get(decision.operation)
        is_approved = request is not None and request.approved is True
        if decision.approval is not None and not is_approved:
            self._ask_to_approve(decision, decision.approval, progress)
            return False
        try:
            self._intend("operation", self.consequences.of(decision), approval=request.wait if request else None)
        except RefusedError as refusal:
            if decision.approval is None or refusal.reason not in ASK_ANEW:
                raise
            self._ask_to_approve(decision, decision.approval, progress)
            return False
        return True

    def _ask_to_approve(self, decision: UseTool, approval: Approval, progress: Progress) -> None:
        """A request of its own each time it is asked."""
        earlier = progress.requests.get(decision.operation)
        number = 1 if earlier is None else int(earlier.wait.rpartition(":")[2]) + 1
        self._write(
            self.consequences.asking_to_approve(decision, approval),
            "requesting approval",
            "requested approval",
            wait=f"approval:{decision.operation}:{number}",
        )

    def _intend(self, kind: str, write: Write, **more: Value) -> None:
        self._write(write, f"intending {kind}", f"intended {kind}", **more)

    def _write(self, write: Write, before: str, after: str, **more: Value) -> None:
        self.writing.write(write.command, before, after, **write.fields, **more)

    def _send(self, kind: str, whom: str, name: str, send: Callable[[str], Reply]) -> None:
        """One request, and what came of it. A no is an answer too; whatever is none leaves the call unknown."""
        writing, call = self.writing, self.consequences.id_of(name)
        if not writing.lease.is_live:
            raise StoppedError("the lease could not be renewed; nothing was sent")
        writing.seams.reach(f"{whom} asked")
        answer = send(call)
        writing.seams.reach(f"{whom} answered")
        log.info("%s: requests so far %d", call, self.outside.sent.of(call))
        if isinstance(answer, Answer | Refusal):
            writing.write(
                "record_answer",
                f"recording answer of {kind}",
                f"recorded answer of {kind}",
                call=call,
                answer=record_of(answer.text),
                cost_cents=answer.cost_cents,
            )
            return
        log.warning("the answer to %s is lost: %s", call, answer.why)
        writing.write("mark_unknown", f"marking {kind} unknown", f"marked {kind} unknown", call=call)
        if kind == "operation":
            self.look_up()


def may_be_sent_again(fact: CallFact, decision: UseTool) -> bool:
    """Only where the first request cannot act beside the second."""
    return fact.state == "not_found" or (fact.state == "lost" and decision.recognises)
