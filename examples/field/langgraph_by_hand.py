"""LangGraph with its Postgres checkpointer by hand, without keepfact: each rule that its cells fail, reproduced.

    python -m venv v && v/bin/pip install -r fault_injection/field/cells/langgraph/requirements.txt
    DATABASE=postgresql://… v/bin/python examples/field/langgraph_by_hand.py      # an empty database

There is no queue here: a worker is one call of the graph, and whoever comes next calls it again, as documented.
"""

import os
import sys
import threading
import uuid
from typing import Any, TypedDict

from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.graph import START, StateGraph
from langgraph.runtime import get_runtime
from langgraph.types import Command, interrupt
from outside import Outside, ask
from processes import freeze, kill, until, wake

DATABASE = os.environ["DATABASE"]
STEPS = ("plan", "pay", "approve", "transfer", "words")


State = TypedDict("State", dict.fromkeys(STEPS, Any), total=False)


class Held(PostgresSaver):
    """What is written of the plan is held, as a slow database would: its result; the checkpoint comes after that."""

    def put_writes(self, config, writes, *rest):
        if "plan" in dict(writes):
            threading.Event().wait()
        super().put_writes(config, writes, *rest)

    def put(self, config, checkpoint, metadata, new_versions):
        if metadata["step"] == 1:
            threading.Event().wait()
        return super().put(config, checkpoint, metadata, new_versions)


def compiled(saver, cents=10, key="node", keeps=False):
    """`cents` is what this release would send; kept, it is what came with the approval."""

    def use(tool, amount_cents):
        info = get_runtime().execution_info
        return ask(tool, {"amount_cents": amount_cents}, info.task_id if key == "task" else f"{info.thread_id}:{tool}")

    nodes = {
        "plan": lambda _: ask("plan"),
        "pay": lambda _: use("pay", 1),
        "approve": lambda _: interrupt({"amount_cents": cents}),
        "transfer": lambda state: use("transfer", state["approve"] if keeps else cents),
        "words": lambda _: ask("words"),
    }
    graph = StateGraph(State)
    graph.add_sequence([(f"to_{name}", lambda state, name=name: {name: nodes[name](state)}) for name in STEPS])
    graph.add_edge(START, f"to_{STEPS[0]}")
    return graph.compile(checkpointer=saver)


def worker(run, durability="async", cents="10", key="node", how="", keeps=""):
    """Goes on wherever the thread was left, once."""
    with (Held if how == "held" else PostgresSaver).from_conn_string(DATABASE) as saver:
        graph, config = compiled(saver, int(cents), key, bool(keeps)), {"configurable": {"thread_id": run}}
        seen = graph.get_state(config)
        asked = {} if not seen.values and not seen.next else Command(resume=10) if seen.interrupts else None
        graph.invoke(asked, config, durability=durability)


def says(run):
    with PostgresSaver.from_conn_string(DATABASE) as saver:
        seen = compiled(saver).get_state({"configurable": {"thread_id": run}})
    cents = sum(value["cost_cents"] for value in seen.values.values() if isinstance(value, dict))
    return f"next: {', '.join(seen.next) or 'nothing'}; results of {', '.join(seen.values)}; {cents} cents recorded"


def called(title, *calls, cut=()):
    with Outside(title) as outside:
        run = str(uuid.uuid4())
        outside.cut |= {*cut}
        codes = [outside.start("worker", run, *call).wait() for call in calls]
        outside.tell(f"exits of the calls: {codes}; {says(run)}")


def broken(title, what, do, *how):
    """Something is done to the worker of the first call as `what` is answered; then come two, up to the end."""
    with Outside(title) as outside:
        run, held = str(uuid.uuid4()), outside.hold(what)
        first = outside.start("worker", run, *how)
        until(lambda: outside.asked(what))
        do(first)
        held.set()
        for _ in ("up to the approval", "approved"):
            outside.start("worker", run, *how[:3]).wait()
        before, sent = says(run), len(outside.seen)
        wake(first)
        first.wait()
        late = [what for what, *_ in outside.seen[sent:]]
        outside.tell(before + (f"\n  once it woke it sent {late}, and then: {says(run)}" if do == freeze else ""))


if __name__ == "__main__":
    if sys.argv[1:2] == ["worker"]:
        sys.exit(worker(*sys.argv[2:]))
    with PostgresSaver.from_conn_string(DATABASE) as saver:
        saver.setup()
    broken("killed after the model answered", "plan", kill)
    writing = "killed as a tool was asked, while the plan was being written"
    broken(writing, "pay", kill, "async", "10", "node", "held")
    broken(f"{writing}; the id of the task is the key", "pay", kill, "async", "10", "task", "held")
    called("a tool acted, and its answer was cut", (), cut=["pay"])
    upgraded = "a release that sends 1000 cents came while the approval of 10 waited"
    called(f"{upgraded}; nothing keeps the amount that was shown", (), ("async", "1000"))
    called(f"{upgraded}; it comes with the approval, as it was shown", (), ("async", "1000", "node", "", "yes"))
    for how in ("async", "sync"):
        for what in ("plan", "pay"):
            broken(f"{how}: a worker was frozen as {what} was answered, and woke after the end", what, freeze, how)
