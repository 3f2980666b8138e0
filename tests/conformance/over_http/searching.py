"""A search without the tours, which take longer to find than such a search takes."""

from keepfact.conformance.judge import Judge
from keepfact.conformance.lockstep import Search, search
from keepfact.conformance.profiles import Effort
from keepfact.conformance.system import System, capabilities_of

SEED = 20_251
STEPS = 25


def searched(system: System, traces: int) -> Search:
    """So many traces; a failure is narrowed down."""
    judge = Judge(system.contracts, capabilities=capabilities_of(system))
    return search(system, judge, None, Effort(traces, STEPS), SEED, walks=())
