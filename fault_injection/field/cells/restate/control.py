"""Asks Restate: commands at its ingress, and what it knows by SQL at its admin port."""

import json
import os

import httpx
from outside import recorded, serve

STEPS = ("plan", "paid", "moved", "words")
ingress = httpx.Client(base_url=os.environ["FIELD_RESTATE_INGRESS"], trust_env=False, timeout=30)
admin = httpx.Client(base_url=os.environ["FIELD_RESTATE_ADMIN"], trust_env=False, timeout=30)


def ask(query):
    answer = admin.post("/query", json={"query": query}, headers={"Accept": "application/json"}).raise_for_status()
    return answer.json()["rows"]


def submit(run):
    ingress.post(f"/probe/{run}/run/send").raise_for_status()


def approve(run):
    ingress.post(f"/probe/{run}/approve").raise_for_status()


def cancel(run):
    [known] = ask(f"select id from sys_invocation where target_service_key = '{run}' and target_handler_name = 'run'")
    admin.patch(f"/invocations/{known['id']}/cancel").raise_for_status()


def status(run):
    known = ask(
        "select id, status, completion_result, completion_failure from sys_invocation "
        f"where target_service_key = '{run}' and target_handler_name = 'run'"
    )
    if not known:
        return {"state": "absent"}
    state = {
        row["key"]: json.loads(row["value_utf8"])
        for row in ask(f"select key, value_utf8 from state where service_name = 'probe' and service_key = '{run}'")
    }
    promises = ask(f"select completed from sys_promise where service_name = 'probe' and service_key = '{run}'")
    [shown] = known
    failed = ask(f"select id from sys_journal_events where id = '{shown['id']}' and event_type = 'TransientError'")
    is_over = shown["status"] == "completed"
    waits = not is_over and "shown" in state and not any(promise["completed"] for promise in promises)
    failure = shown.get("completion_failure") or ""
    end = "cancelled" if "cancel" in failure else "failed" if failure else "succeeded"
    return {
        "state": end if is_over else "waiting" if waits else "running",
        "native": " ".join(filter(None, [shown["status"], shown.get("completion_result")])),
        "recorded_cents": recorded(*(state.get(step) for step in STEPS)),
        # An attempt that failed stays in the journal as an event, with the reason; it counts as one of the step.
        "model_attempts": ("plan" in state) + ("words" in state) + len(failed),
        "result": state,
        "error": failure,
    }


serve(setup=dict, submit=submit, status=status, approve=approve, cancel=cancel, takedown=dict)
