"""What a practised user of Hypothesis writes first: a rule for each command and happening, bundles of what there is.

Runs, leases, calls and waits that came of earlier commands are in bundles, and what is optional is mostly left out; all
other arguments come from small pools of what means something. No tours, no model that says what can be done now, no
target. It is judged by the same judge and compared with the same model, and loses answers as often as ours; what the
outside could not honestly say is left out and does not count.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import MISSING, Field, fields
from enum import Enum
from itertools import count
from types import NoneType
from typing import Any, ClassVar, get_args, get_origin, get_type_hints

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, multiple, rule, run_state_machine_as_test

from keepfact.conformance.judge import Judge
from keepfact.conformance.lockstep import ANSWERED, FATES
from keepfact.conformance.recorder import Move
from keepfact.conformance.shorten import relabelled
from keepfact.conformance.system import System, capabilities_of
from keepfact.conformance.trial import RuleBrokenError, Trial
from keepfact.spec.vocabulary import (
    FIRST_BUNDLE,
    LATEST,
    OFFERS,
    Act,
    Asked,
    Asking,
    Continue,
    Done,
    Intend,
    LookUp,
    Outcome,
    Refused,
    RequestApproval,
    Spawn,
    Spine,
    Submit,
    Tick,
    Wait,
)

TRACE_STEPS = 50
"""As many as Hypothesis makes unless it is told otherwise."""

RUNS, LEASES, CALLS, WAITS = Bundle("runs"), Bundle("leases"), Bundle("calls"), Bundle("waits")
_HELD = {RUNS: ("run",), LEASES: ("run", "fence"), CALLS: ("run", "fence", "call"), WAITS: ("run", "fence", "wait")}
"""What stands in each bundle, in this order."""

_NAMES: dict[str, tuple[Any, ...]] = {
    "RunId": ("run-1", "run-2", "run-3"),
    "WorkerId": ("w1", "w2"),
    "CallId": ("call-1", "call-2", "call-3"),
    "WaitId": ("wait-1", "wait-2"),
    "SpawnId": ("spawn-1", "spawn-2"),
    "MaterialId": ("material-1", "material-2"),
    "SourceId": ("source-1", "source-2"),
    "UserId": ("ann", "ben"),
    "RequestId": ("request-1", "request-2"),
    "BundleId": (FIRST_BUNDLE, "bundle-2", LATEST),
    "Fence": (1, 2, 3),
}
"""Of each kind of id."""

_VALUES: dict[str, tuple[Any, ...]] = {
    "budget_cents": (9, 3, 1),
    "ceiling_cents": (1, 2, 3, 0),
    "cost_cents": (1, 2, 3, 0),
    "seconds": (30, 60, 1, 29),
    "fresh_seconds": (60, 1),
    "sends_max": (1, 2),
    "sends": (1, 2),
    "schema": (1, 2, 3),
    "format": (1, 0),
    "number": (1, 2, 0),
    "after": (0, 1, 2),
    "replayed": (3, 0),
    "diverged": (0, 1),
    "arrivals": (1, 2),
    "risk": ("low", "high"),
    "marker": ("change",),
    "markers": ("change",),
    "body": ("text", "", "x" * 2_000, "\0"),
    "answer": ("text", "", "x" * 2_000, "\0"),
    "error": ("it broke", "\0"),
}
"""Of fields that are no ids; of any other text two short ones."""


def search_plainly(system: System, judge: Judge, steps_max: int, seed_number: int) -> None:
    """Until something is wrong or so many steps are made; what was found the judge knows."""
    bound = {"system": system, "judge": judge, "steps_max": steps_max, "made": [0], "traces": count(1)}
    rules = {f"do_{kind.__name__}": _rule_of(kind) for kind in _kinds(system)}
    machine = seed(seed_number)(type("Plain", (_Plain,), bound | rules))
    # Hypothesis tries what went wrong once more, and wonders that nothing does once so many steps are made.
    with suppress(RuleBrokenError, _EnoughError, Flaky):
        run_state_machine_as_test(machine, settings=_settings(steps_max))


class _EnoughError(Exception):
    """So many steps have been made."""


class _Plain(RuleBasedStateMachine):
    system: ClassVar[System]
    judge: ClassVar[Judge]
    steps_max: ClassVar[int]
    made: ClassVar[list[int]]
    traces: ClassVar["count[int]"]

    @initialize()
    def begin(self) -> None:
        self.name = f"plain-{next(self.traces)}"
        self.trial = Trial(self.system, self.judge, None, self.name)
        self.ids = count(1)

    def take(self, cause: Any, fate: str) -> Outcome | None:
        """Make a step of it; as if it had been refused, if the outside could not say it."""
        if self.made[0] >= self.steps_max:
            raise _EnoughError
        (move,) = relabelled([Move(cause, fate if isinstance(cause, Asked) else ANSWERED)], "", f"{self.name}-")
        if not self.trial.is_honest(move.said):
            return None
        self.made[0] += 1
        return self.trial.make(move)


def _kinds(system: System) -> list[type]:
    """All that can be asked of it in the usual sessions, and all that can happen and a harness makes happen."""
    offered = [kind for capability in capabilities_of(system) for kind in OFFERS[capability]]
    causes = dict.fromkeys((*get_args(Spine), *offered, Tick, Act))
    return sorted((kind for kind in causes if kind not in {Asking, LookUp}), key=lambda kind: kind.__name__)


def _rule_of(kind: type) -> Callable[..., Any]:
    hints, names = get_type_hints(kind), [field.name for field in fields(kind)]
    bundle, target = _comes_of(kind, names), _leads_to(kind)
    parts = () if bundle is None else _HELD[bundle]
    held = [name for name in parts if name in names]
    drawn = {field.name: _argument(field, hints[field.name]) for field in fields(kind) if field.name not in held}

    def do(self: _Plain, fate: str, of: tuple[Any, ...], **given: Any) -> Any:
        if "command_id" in given:  # mostly its own, sometimes one of before
            given["command_id"] = given["command_id"] or f"command-{next(self.ids)}"
        given |= {name: value for name, value in zip(parts, of, strict=True) if name in held}
        return _into(target, self.take(kind(**given), fate), kind(**given))

    return rule(target=target, fate=st.sampled_from(FATES), of=st.just(()) if bundle is None else bundle, **drawn)(do)


def _comes_of(kind: type, names: list[str]) -> "Bundle[Any] | None":
    """The bundle of what a command is about; new runs come of nothing, new calls and waits of a lease."""
    if kind in {Submit, Continue} or "run" not in names:
        return None
    if kind not in {Intend, RequestApproval, Wait}:
        for bundle, name in ((CALLS, "call"), (WAITS, "wait")):
            if name in names:
                return bundle
    return LEASES if "fence" in names else RUNS


def _leads_to(kind: type) -> "Bundle[Any]":
    if kind is Intend:
        return CALLS
    if kind in {Wait, RequestApproval}:
        return WAITS
    return RUNS if kind in {Submit, Continue, Spawn} else LEASES


def _into(target: "Bundle[Any]", outcome: Outcome | None, cause: Any) -> Any:
    """What came of it, for its bundle; of what was lost nobody knows, so it may have."""
    if target is LEASES:
        granted = outcome.grant if isinstance(outcome, Done) else None
        return (cause.run, granted.fence) if granted else multiple()
    if outcome is None or isinstance(outcome, Refused):
        return multiple()
    if isinstance(cause, Spawn):
        return (cause.child,)
    return tuple(getattr(cause, name) for name in _HELD[target])


def _argument(field: "Field[Any]", hint: Any) -> st.SearchStrategy[Any]:
    """What is optional is left out three times of four."""
    drawn = _drawn(field.name, hint)
    if field.default is MISSING:
        return drawn
    return st.one_of(st.just(field.default), st.just(field.default), st.just(field.default), drawn)


def _drawn(name: str, hint: Any) -> st.SearchStrategy[Any]:
    if name == "command_id":
        return st.sampled_from((None,) * 7 + ("command-1", "command-2", "command-3"))
    if get_origin(hint) is tuple:
        return st.lists(_drawn(name, get_args(hint)[0]), max_size=2, unique=True).map(tuple)
    if NoneType in get_args(hint):
        (of,) = (one for one in get_args(hint) if one is not NoneType)
        return st.none() | _drawn(name, of)
    if hint.__name__ in _NAMES:
        return st.sampled_from(_NAMES[hint.__name__])
    if name in _VALUES:
        return st.sampled_from(_VALUES[name])
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from(list(hint))
    return st.booleans() if hint is bool else st.sampled_from(("a", "b"))


def _settings(traces: int) -> settings:
    return settings(
        max_examples=traces,
        stateful_step_count=TRACE_STEPS,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        report_multiple_bugs=False,
        print_blob=False,
    )
