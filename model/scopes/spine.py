"""The life of one run: its calls, what they cost, asking again."""

from .bounds import Bounds
from .scope import AGAIN, ATTEMPT, OPERATION, Scope

CORE = Scope(
    name="core",
    bounds="1 run (settle), 2 grants, 1 attempt that costs its ceiling of 1 cent, then 1 operation that costs nothing, "
    "a budget of 2 cents, 1 publication, leases of one tick",
    states=9061,
    edges=315989,
    classes=363,
    causes=Bounds(grants=2, costs={ATTEMPT: (1,), OPERATION: (0,)}, publications=1).causes,
)
COSTS = Scope(
    name="costs",
    bounds="1 run (settle), 1 grant, 1 attempt that costs 0, 1 or (above its ceiling of 1) 2 cents, then 1 operation "
    "that costs 1 or 2 cents, a budget of 2 cents, no publication, leases of one tick",
    states=3002,
    edges=82916,
    classes=167,
    causes=Bounds(grants=1, costs={ATTEMPT: (0, 1, 2), OPERATION: (1, 2)}).causes,
)
RETRY = Scope(
    name="retry",
    bounds="1 run (settle), 1 grant, 1 attempt that costs its ceiling of 1 cent, then another that supersedes it, "
    "1 operation that never acts, a budget of 2 cents, no publication, leases of one tick",
    states=978,
    edges=25358,
    classes=153,
    causes=Bounds(grants=1, costs={ATTEMPT: (1,), AGAIN: (1,), OPERATION: ()}).causes,
)
