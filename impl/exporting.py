"""What is stored of a run, as JSON in the published form: spec/schemas/history.json."""

from typing import Any

from .store import Store


def exported(store: Store, run: str) -> dict[str, Any] | None:
    """The run with its history, and what is kept beside it, from one snapshot; None if there is no such run.

    Payloads of events stay behind: their digests are part of the history. Raises ConnectionLostError.
    """
    survey = store.survey([run])
    if not survey["runs"]:
        return None
    return {**survey, "runs": [_run(one) for one in survey["runs"]]}


def _run(shown: dict[str, Any]) -> dict[str, Any]:
    events = [{name: value for name, value in event.items() if name != "payload"} for event in shown["history"]]
    return {**shown, "history": events}
