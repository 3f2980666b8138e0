"""What every cell shares, with nothing but the standard library: requests to the servers outside, and the control loop.

A worker is given, in its environment: KEEPFACT_FIELD_DATABASE (a PostgreSQL URL), KEEPFACT_FIELD_WORLD (the address
of the model and the tools of this trial), KEEPFACT_FIELD_RELEASE (1 or 2), KEEPFACT_FIELD_WORKER (its name), and
what `setup` of its control.py returned under "environment".
"""

import json
import os
import socket
import sys
import traceback
import urllib.error
import urllib.request

DATABASE = os.environ.get("KEEPFACT_FIELD_DATABASE", "")
WORLD = os.environ.get("KEEPFACT_FIELD_WORLD", "")
RELEASE = int(os.environ.get("KEEPFACT_FIELD_RELEASE", "1"))
WORKER = os.environ.get("KEEPFACT_FIELD_WORKER", "worker")
PATIENCE_SECONDS = 30

SHOWN_CENTS = 10
TRANSFER_CENTS = {1: 10, 2: 1000}[RELEASE]
"""Release 2 changes the argument of the second effect. Whoever approved was shown what release 1 asks for."""

Refused = urllib.error.HTTPError
"""An answer, and a definite no."""


def ask_model(answered, key=""):
    """One request to the model after so many tools have answered; what it said, and what it cost."""
    messages = [{"role": "user", "content": "Settle the invoice."}, *[{"role": "tool", "content": "done"}] * answered]
    completed = _post(f"{WORLD}/v1/chat/completions", {"messages": messages}, key)
    message = completed["choices"][0]["message"]
    calls = message.get("tool_calls") or [None]
    arguments = json.loads(calls[0]["function"]["arguments"]) if calls[0] else {}
    return {"says": message["content"], "arguments": arguments, "cost_cents": completed["cost_cents"]}


def use_tool(tool, arguments, key):
    """One request to a tool, under an idempotency key; what it did, and what it cost."""
    return _post(f"{WORLD}/tools/{tool}", arguments, key)


def transfer():
    """The arguments of the second effect, as this release has them."""
    return {"to": "supplier", "amount_cents": TRANSFER_CENTS}


def recorded(*results):
    """The sum of the costs in the results of steps that were recorded; what has no cost counts nothing."""
    return sum(result.get("cost_cents", 0) for result in results if isinstance(result, dict))


def ready():
    """Tell the kit that this process takes up runs. Whatever is printed from here on goes to standard error."""
    print(json.dumps({"ready": True}), flush=True)
    os.dup2(2, 1)  # nobody reads the pipe any more


def serve(**handlers):
    """Answer one line of JSON with another until the input ends: {"do": name, "run": id} is handlers[name](id).

    A handler that raises is answered with {"error": …}. Whatever an engine prints goes to standard error.
    """
    answers, sys.stdout = sys.stdout, sys.stderr
    print(json.dumps({"ready": True}), file=answers, flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            handler = handlers[asked["do"]]
            answer = handler(asked["run"]) if asked.get("run") else handler()
        except Exception as error:
            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {error}"[:500]}
        print(json.dumps(answer if answer is not None else {}, default=str), file=answers, flush=True)


def free_port():
    """A port of this host that nobody listens at now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def _post(url, body, key):
    headers = {"Content-Type": "application/json", "Keepfact-Worker": WORKER}
    if key:
        headers["Idempotency-Key"] = key
    request = urllib.request.Request(url, json.dumps(body).encode(), headers, method="POST")
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=PATIENCE_SECONDS) as answer:
        return json.load(answer)
