"""The program of every run here, as a pure function of what its history says: what it would do next."""

from keepfact.spec.vocabulary import CallState

from .state import Run


def next_decision(run: Run) -> str | None:
    """The next decision, or None once the run is sealed. The same facts give the same decision anywhere."""
    if run.is_sealed:
        return None
    if run.is_waiting:
        return "wait"
    if any(call.state is CallState.OPEN for call in run.calls):
        return "hear the answer"
    if not run.calls:
        return "ask the model"
    return "succeed" if any(publication.qualified for publication in run.publications) else "publish"
