"""What the agent does next. It looks at nothing but what its history says.

It reads each fund, or takes over what an earlier run found if that is still fresh; computes the overlap; shows a first
body; has the model say it in words; and, once a person has approved that, sends the report.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from keepfact.impl.programs.decisions import (
    Approval,
    AskModel,
    CallFact,
    Decision,
    Fail,
    Progress,
    Publish,
    ReadMaterial,
    SaveMaterial,
    Succeed,
    UseTool,
)
from keepfact.impl.release import Bundle, Release

READ_CEILING_CENTS, MODEL_CEILING_CENTS, SEND_CEILING_CENTS = 2, 20, 1
APPROVAL = Approval(risk="the report leaves the house", basis="compliance desk", seconds=3_600)
SENDING, WORDS = "operation:9", "attempt:1"


@dataclass(frozen=True, slots=True)
class Holdings:
    """What a fund disclosed: as of when, how much of it, and the weight of each position in per cent."""

    fund: str
    disclosed: str
    coverage: str
    fresh_seconds: int
    weights: Mapping[str, float]


def decide(progress: Progress) -> Decision:
    """The first step that is not done yet."""
    return next(_steps(progress, json.loads(progress.input or "{}").get("funds", [])), Succeed())


def _steps(progress: Progress, funds: list[str]) -> Iterator[Decision]:
    if len(funds) != 2:
        yield Fail(f"expected two funds to compare, but got {funds}")
    found = {}
    for number, fund in enumerate(funds, 1):
        text = _known(progress, fund, number)
        if isinstance(text, str):
            found[fund] = _holdings(text)
            if _saved(fund) not in progress.saved and not _is_taken_over(progress, fund):
                yield _save(found[fund], text)
        else:
            yield text
    report = _overlap(*found.values())
    if "overlap" not in progress.saved:
        yield _save_overlap(report, list(found.values()))
    if progress.publications == 0:
        yield Publish(f"First result, not yet in words. {report}", qualified=True)
    words = progress.calls.get(WORDS)
    if words is None:
        message = {"role": "user", "content": f"Say in one sentence for a client: {report}"}
        yield AskModel(WORDS, (message,), MODEL_CEILING_CENTS)
    elif words.state != "answered":
        yield Fail("the model's answer was lost")
    else:
        yield from _deliver(progress, report, _said(words.answer))


def _known(progress: Progress, fund: str, number: int) -> str | Decision:
    """What the fund holds; or how to come to know it."""
    if _is_taken_over(progress, fund):
        content = progress.handed[_saved(fund)].content
        return ReadMaterial(_saved(fund)) if content is None else content
    read = progress.calls.get(f"operation:{number}")
    if read is None:
        return UseTool(f"operation:{number}", "read_holdings", {"fund": fund}, READ_CEILING_CENTS)
    return read.answer if read.state == "answered" else Fail(f"what {fund} holds could not be read")


def _is_taken_over(progress: Progress, fund: str) -> bool:
    """Only what is handed over as current: anything else is checked at its source first."""
    handed = progress.handed.get(_saved(fund))
    return handed is not None and handed.label == "current"


def _deliver(progress: Progress, report: str, sentence: str) -> Iterator[Decision]:
    body = f"{sentence}\n{report}"
    if progress.publications == 1:
        yield Publish(body, qualified=True)
    sent = progress.calls.get(SENDING)
    if sent is None:
        yield UseTool(SENDING, "send_report", {"body": body}, SEND_CEILING_CENTS, approval=APPROVAL)
    elif sent.state != "answered":
        yield Fail(_why_not_sent(sent))


def _why_not_sent(sent: CallFact) -> str:
    return "the report was not approved" if sent.state == "denied" else "whether the report was sent is unknown"


def _save(holdings: Holdings, text: str) -> SaveMaterial:
    return SaveMaterial(
        _saved(holdings.fund),
        holdings.fund,
        text,
        as_of=holdings.disclosed,
        fresh_seconds=holdings.fresh_seconds,
    )


def _save_overlap(report: str, found: list[Holdings]) -> SaveMaterial:
    """No fresher than the older of the two, and readable by nobody who may not read both."""
    return SaveMaterial(
        "overlap",
        found[0].fund,
        report,
        as_of=min(holdings.disclosed for holdings in found),
        fresh_seconds=min(holdings.fresh_seconds for holdings in found),
        derived_from=tuple(_saved(holdings.fund) for holdings in found),
    )


def _saved(fund: str) -> str:
    return f"holdings:{fund}"


def _holdings(text: str) -> Holdings:
    said: dict[str, Any] = json.loads(text)["result"]
    return Holdings(said["fund"], said["disclosed"], said["coverage"], said["fresh_seconds"], said["holdings"])


def _overlap(one: Holdings, other: Holdings) -> str:
    """The sum of the smaller weight of each position that both hold."""
    common = {name: min(weight, other.weights[name]) for name, weight in one.weights.items() if name in other.weights}
    names = ", ".join(sorted(common))
    return (
        f"{one.fund} ({one.disclosed}, {one.coverage}) and {other.fund} ({other.disclosed}, {other.coverage}) "
        f"have {sum(common.values()):.1f} % in common: {names}."
    )


def _said(answer: str) -> str:
    message: str = json.loads(answer)["choices"][0]["message"]["content"]
    return message


RELEASE = Release({"bundle-1": Bundle(decide, model="analyst-1")})
