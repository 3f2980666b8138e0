"""Runs that are asked to stop, with calls in flight, in the queue, or after the end."""

from keepfact.model.state import Run, State
from keepfact.spec.vocabulary import Assess, Cancel, Capability, Fence, Stop

from .bounds import Bounds, fences_of
from .scope import ATTEMPT, FRESH, RUN, Causes, Scope


def cancelling(state: State, run: Run) -> Causes:
    """Each run that there is may be asked to stop; its worker may say that it has."""
    for one in state.runs:
        yield Cancel(FRESH, one.run)
        for fence in fences_of(one):
            yield Stop(FRESH, one.run, Fence(fence))


def assessing(state: State, run: Run) -> Causes:
    """Somebody says whether the result is good."""
    yield Assess(FRESH, RUN, good=True)
    yield Assess(FRESH, RUN, good=False)


CANCEL = Scope(
    name="cancel",
    bounds="1 run (settle), 2 grants, 1 attempt that costs its ceiling of 1 cent, 1 publication, a request to stop, "
    "an assessment",
    states=1527,
    edges=33569,
    classes=496,
    needs=frozenset({Capability.CANCELLING, Capability.ASSESSMENT}),
    causes=Bounds(
        grants=2,
        costs={ATTEMPT: (1,)},
        publications=1,
        tries_all=False,
        subjects=(cancelling, assessing),
    ).causes,
)
