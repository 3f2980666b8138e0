"""What a run's requests for approval say: a request is the wait in which a person is asked about one operation."""

from keepfact.spec.vocabulary import CallId, InForce, Intend, RunView, SendAgain, Shown, Step, WaitKind, WaitView


def requests(run: RunView) -> tuple[WaitView, ...]:
    """Every request of the run, in the order they were made."""
    return tuple(wait for wait in run.waits if wait.kind is WaitKind.APPROVAL) if run.waits else ()


def request_of(run: RunView, wait: str | None) -> WaitView | None:
    """The request of that id; None if there is no such wait, or it is of another kind."""
    return next((request for request in requests(run) if request.wait == wait), None)


def latest_about(run: RunView, call: CallId) -> WaitView | None:
    """The request made last for one operation."""
    about = [request for request in requests(run) if request.shown is not None and request.shown.call == call]
    return about[-1] if about else None


def behind_dispatch(step: Step) -> WaitView | None:
    """The request that a first dispatch names, or under which the call that is sent again was intended."""
    if step.old is None:
        return None
    match step.cause:
        case Intend(call=call, approval=wait):
            return None if step.old.call(call) else request_of(step.old, wait)
        case SendAgain(call=call):
            return next((request for request in requests(step.old) if request.used_by == call), None)
        case _:
            return None


def has_drifted(shown: Shown, digest: str, in_force: InForce) -> bool:
    """The arguments or the versions in force are not those that were shown."""
    return shown.digest != digest or _versions(shown.in_force) != _versions(in_force)


def differences(now: Shown, earlier: Shown | None) -> list[str]:
    """Names of what differs between two requests for one operation, sorted; nothing if this is the first."""
    then = _bound(now if earlier is None else earlier)
    return sorted(name for name, value in _bound(now).items() if value != then[name])


def _versions(in_force: InForce) -> tuple[int, int, int]:
    return in_force.resource, in_force.plan, in_force.policy


def _bound(shown: Shown) -> dict[str, object]:
    names, in_force = ("digest", "risk", "basis"), ("resource", "plan", "policy", "permitted")
    return {name: getattr(shown, name) for name in names} | {name: getattr(shown.in_force, name) for name in in_force}
