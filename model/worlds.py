"""Which worlds may be the real one, given answers that never arrived.

Two things can be lost. The answer of a *command*: then the system under test is in one of several states, and the next
observation prunes them. The answer of a *call* to the outside: then nobody knows whether it acted and what it cost,
and only evidence prunes that. Time prunes nothing. Soundness is one sentence: truth is always one of the worlds.
"""

from collections.abc import Iterable

from keepfact.spec.vocabulary import Asking, CallState, Cause, Lost, Observation, Outcome

from .agree import agrees, is_answer
from .state import Call, State
from .step import step

Worlds = frozenset[State]
Fate = tuple[int, int]
"""How often a call acted outside, and what it cost in all, in cents."""


def after(worlds: Worlds, cause: Cause | Asking, outcome: Outcome | None) -> Worlds:
    """The worlds left by an outcome. A lost one forks each world: it happened, or it did not."""
    if isinstance(outcome, Lost):
        return worlds | {step(world, cause)[1] for world in worlds}
    taken = (step(world, cause) for world in worlds)
    return frozenset(state for predicted, state in taken if is_answer(predicted, outcome))


def seen(worlds: Worlds, observation: Observation, beside: Iterable[str] = ()) -> Worlds:
    """The worlds that look like what was observed, of runs and in these fields beside them."""
    return frozenset(world for world in worlds if agrees(world, observation, beside))


def fates(call: Call) -> Iterable[Fate]:
    """What may have become of a call outside, by what is known of it. An honest ceiling is taken at its word."""
    some = range(call.ceiling_cents + 1)
    match call.state:
        case CallState.NOT_FOUND:
            return [(0, 0)]
        case CallState.CONFIRMED if call.cost_cents is not None:
            return [(1, call.cost_cents)]
        case CallState.CONFIRMED:
            return [(1, cents) for cents in some]
        case CallState.OPEN | CallState.UNKNOWN:
            return [(0, 0), *((1, cents) for cents in some)]


def truth_is_possible(state: State) -> bool:
    """Truth is one of the worlds that the state admits: the soundness of everything that is said of cost and effect."""
    calls = [call for run in state.runs for call in run.calls]
    if {true.call for true in state.truth.calls} - {call.call for call in calls}:
        return False
    return all(_fate_of(state, call) in fates(call) for call in calls if not _broke_its_ceiling(state, call))


def _fate_of(state: State, call: Call) -> Fate:
    true = state.truth.of(call.call)
    return (0, 0) if true is None else (true.acts, true.cost_cents)


def _broke_its_ceiling(state: State, call: Call) -> bool:
    """The outside charged more than it had promised; until it says so nobody can know."""
    is_priced = call.cost_cents is not None or call.state is CallState.NOT_FOUND
    return not is_priced and _fate_of(state, call)[1] > call.ceiling_cents
