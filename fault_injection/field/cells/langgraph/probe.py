"""The probe as a graph: each request a node, the approval an interrupt."""

import os
from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt
from outside import ask_model, transfer, use_tool

DURABILITY = os.environ.get("FIELD_LANGGRAPH_DURABILITY", "async")
STEPS = ("plan", "paid", "moved", "words")


class State(TypedDict, total=False):
    plan: Any
    paid: Any
    approved: Any
    moved: Any
    words: Any


def key(runtime, node):
    info = runtime.execution_info
    return info.task_id if os.environ.get("FIELD_LANGGRAPH_KEY") == "task" else f"{info.thread_id}:{node}"


def planning(state: State):
    return {"plan": ask_model(0)}


def paying(state: State, runtime: Runtime):
    return {"paid": use_tool("pay", state["plan"]["arguments"], key(runtime, "paying"))}


def approving(state: State):
    return {"approved": interrupt(transfer())}


def moving(state: State, runtime: Runtime):
    return {"moved": use_tool("transfer", transfer(), key(runtime, "moving"))}


def telling(state: State):
    return {"words": ask_model(2)}


def compiled(checkpointer):
    graph = StateGraph(State)
    nodes = [planning, paying, approving, moving, telling]
    for node in nodes:
        graph.add_node(node.__name__, node)
    for one, other in zip([START, *nodes], [*nodes, END], strict=True):
        graph.add_edge(getattr(one, "__name__", one), getattr(other, "__name__", other))
    return graph.compile(checkpointer=checkpointer)
