"""What a history says of a decision, as it was stored once: written out, since workers and replays share the code."""

import pytest

from keepfact.impl.consequences import Consequences
from keepfact.impl.in_history import is_told
from keepfact.impl.programs.decisions import Approval, AskModel, Decision, Fail, SaveMaterial, Spawn, UseTool, WaitFor
from keepfact.impl.release import Bundle

HELLO = "d3d1fa7906fc4b364048aa03188a6667803d8a094dab2de7ddbf1a89ea27ed31"
PAY_ONE = "c235b41b3d33c131d6a96bae55005b8af892d009c4f7ff9716f1b00396d1a121"
FOR_THE_HELPER = "9061a01c299d272155e011fa414d29a83c588a9b1503f10bc04b54a5788b64ad"
TEXT = "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1"

APPROVAL = Approval("high", "policy", 60)
PAY = UseTool("operation:1", "pay", {"amount": 1}, 5, APPROVAL, recognises=True, sends_max=2)
CONSEQUENCES = Consequences("run", Bundle(model="probe-1"))

STORED: dict[str, tuple[Decision, dict[str, object]]] = {
    "intended": (PAY, {
        "call": "run:operation:1", "kind": "operation", "digest": PAY_ONE, "ceiling_cents": 5, "recognises": True,
        "sends_max": 2,
    }),
    "waited": (WaitFor("helped", "child", 60, child="helper"), {
        "wait": "helped", "kind": "child", "digest": FOR_THE_HELPER, "seconds": 60, "arrivals": 1,
        "child": "run:helper",
    }),
    "saved": (SaveMaterial("found", "web", "text", "2026-01-01", 60, ("earlier",), "old", judgement=True), {
        "material": "found", "source": "web", "digest": TEXT, "as_of": "2026-01-01", "fresh_seconds": 60,
        "derived_from": ["earlier"], "replaces": "old", "judgement": True,
    }),
    "spawned": (Spawn("helper", 5, "what to do"), {"spawn": "helper", "child": "run:helper", "budget_cents": 5}),
    "sealed": (Fail("why"), {"end": "failed", "error": "why"}),
}  # fmt: skip


@pytest.mark.parametrize("kind", STORED)
def test_a_decision_is_told_by_all_that_was_stored_of_it_and_by_nothing_less(kind: str) -> None:
    decision, payload = STORED[kind]
    write = CONSEQUENCES.of(decision)
    assert is_told(write, {"type": kind, "payload": {**payload, "fence": 1}})
    assert not is_told(write, {"type": "published", "payload": payload})
    for name in payload:
        assert not is_told(write, {"type": kind, "payload": {**payload, name: "another"}})


def test_an_attempt_is_told_with_the_one_that_it_asks_again() -> None:
    again = AskModel("attempt:2", ({"role": "user", "content": "hello"},), 5, supersedes="attempt:1")
    told = {"call": "run:attempt:2", "kind": "attempt", "digest": HELLO, "ceiling_cents": 5}
    superseding = {"type": "intended", "payload": {**told, "supersedes": "run:attempt:1"}}
    assert is_told(CONSEQUENCES.of(again), superseding)
    assert not is_told(CONSEQUENCES.of(again), {"type": "intended", "payload": told})
    assert is_told(CONSEQUENCES.of(AskModel("attempt:2", again.messages, 5)), {"type": "intended", "payload": told})


@pytest.mark.parametrize("shown", [{"risk": "low"}, {"basis": "a feeling"}, {"call": "run:operation:2"}], ids=str)
def test_a_request_is_told_with_what_a_person_was_shown(shown: dict[str, str]) -> None:
    asked = CONSEQUENCES.asking_to_approve(PAY, APPROVAL)
    request = {"wait": "approval:operation:1:1", "kind": "approval", "digest": PAY_ONE, "seconds": 60}
    as_it_was = {"call": "run:operation:1", "risk": "high", "basis": "policy", "differs": []}
    assert is_told(asked, {"type": "waited", "payload": {**request, "shown": as_it_was}})
    assert not is_told(asked, {"type": "waited", "payload": {**request, "shown": {**as_it_was, **shown}}})
    assert not is_told(asked, {"type": "waited", "payload": {**request, "shown": as_it_was, "seconds": 61}})
