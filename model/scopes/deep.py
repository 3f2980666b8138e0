"""What the quick scopes hold apart, crossed, with more of everything: a million states, for a release."""

from keepfact.spec.vocabulary import Capability, Contract

from .bounds import Bounds
from .cancel import cancelling
from .resume import sending_again
from .scope import AGAIN, ATTEMPT, OPERATION, Scope

CALLS = Scope(
    name="deep calls",
    bounds="1 run (settle), 3 grants, 1 attempt that costs 0, 1 or (above its ceiling of 1) 2 cents, another that "
    "supersedes it, 1 operation that costs 0 or 1 cent, a budget of 3 cents, 2 publications",
    states=0,
    edges=0,
    causes=Bounds(
        grants=3,
        costs={ATTEMPT: (0, 1, 2), AGAIN: (1,), OPERATION: (0, 1)},
        publications=2,
        budget_cents=3,
        tries_all=False,
    ).causes,
)
SENDING = Scope(
    name="deep sending",
    bounds="1 run (resume), 1 claim, 1 attempt that costs 1 cent, 1 operation that costs 0 or 1 cent, each sent at "
    "most twice, a budget of 3 cents, 1 publication, 1 new release of the tool, may be cancelled",
    states=0,
    edges=0,
    needs=frozenset({Capability.RESENDING, Capability.LOOKUP, Capability.CANCELLING}),
    contract=Contract.RESUME,
    causes=Bounds(
        costs={ATTEMPT: (1,), OPERATION: (0, 1)},
        contract=Contract.RESUME,
        sends_max=2,
        publications=1,
        budget_cents=3,
        tries_all=False,
        subjects=(sending_again, cancelling),
    ).causes,
)
