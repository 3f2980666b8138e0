"""Which edges are alike: what was asked, where the run stood, and how it ended, as finely as rules tell them apart."""

from keepfact.spec.vocabulary import (
    ENDS,
    INLINE_MAX,
    TENANT,
    WAITS,
    Assess,
    CallId,
    Command,
    Continue,
    Contract,
    Decide,
    Deliver,
    Deploy,
    Done,
    Drifted,
    Fail,
    Intend,
    Mark,
    Observe,
    Outcome,
    Publish,
    Purge,
    Reason,
    Reconcile,
    RecordAnswer,
    Recover,
    Refused,
    Renew,
    Restarted,
    RunView,
    SendAgain,
    Step,
    Stream,
    Submit,
    Succeed,
    Wait,
    WaitState,
    Wake,
)

from .payloads import is_storable

EdgeClass = tuple[str, str, str]


def edge_class(edge: Step) -> EdgeClass:
    """What was asked or happened, where the run stood before, and how it ended."""
    name = f"{type(edge.cause).__name__} again" if edge.repeats else _asked(edge)
    return name + _by_whom(edge), _stood(edge.old), _ended(edge.outcome)


def _asked(edge: Step) -> str:
    """The kind of command or happening, as finely as rules tell them apart."""
    name = type(edge.cause).__name__
    match edge.cause:
        case Submit(bundle=wanted) if any(view.bundle == wanted and view.is_retired for view in edge.before.bundles):
            return f"{name} to a bundle that was retired"
        case Stream() if edge.old and edge.old.state in ENDS:
            return f"{name} of a run that is over{' by one who comes back' if edge.cause.after else ''}"
        case Observe() | Stream() if edge.old and edge.old.lease_left_seconds:
            return f"{name} of a run at work"
        case Intend(supersedes=str()):
            return f"{name} superseding"
        case Intend(approval=str()):
            return f"{name} under an approval{_overtaken(edge, edge.cause)}"
        case Intend(compensates=str() as original):
            return f"{name} to undo{_as_it_stands(edge, original)}"
        case Intend():
            return f"{name}{_in_the_way(edge, edge.cause)}{' with a credential' if edge.cause.credential else ''}"
        case SendAgain():
            return f"{name}{_as_it_stands(edge, edge.cause.call)}"
        case Publish():
            return f"{name}{'' if edge.cause.qualified else ' unqualified'}{_kept_apart(edge, edge.cause.body)}"
        case Reconcile():
            return f"{name} {edge.cause.evidence}{_amount(edge, edge.cause)}"
        case RecordAnswer():
            over_a_draft = edge.is_done and edge.old and any(not body.qualified for body in edge.old.publications)
            stands = _as_it_stands(edge, edge.cause.call) if edge.outcome == Refused(Reason.CALL_NOT_OPEN) else ""
            return f"{name}{_amount(edge, edge.cause)}{' over a draft' if over_a_draft else ''}{stands}"
        case Fail(error=str() as error):
            return f"{name} with {'an error' if is_storable(error) else 'what cannot be stored'}"
        case Succeed() | Fail() | Recover():
            return f"{name}{_at_stake(edge)}"
        case Wait():
            return f"{name} {edge.cause.kind}"
        case Deliver():
            wait = edge.old.wait(edge.cause.wait) if edge.old else None
            return f"{name} {edge.cause.kind}{f' to one {wait.state.value}' if wait else ''}"
        case Restarted():
            return f"{name}{_waited_for(edge)}"
        case Decide():
            return f"{name} {'approved' if edge.cause.approved else 'denied'}"
        case Assess():
            return f"{name} {'good' if edge.cause.good else 'bad'}"
        case Renew():
            return f"{name}{' after a death' if edge.old and edge.old.deaths else ''}"
        case Mark():
            is_known = any(edge.cause.marker in bundle.markers for bundle in edge.before.bundles)
            is_marked = edge.old and any(marker.marker == edge.cause.marker for marker in edge.old.markers)
            known = " of what some release knows" if is_known else ""
            return f"{name} {edge.cause.branch}{known}{' again' if is_marked else ''}"
        case Deploy():
            return f"{name}{' while a run waits' if any(run.state in WAITS for run in edge.before.runs) else ''}"
        case Wake():
            latest = edge.before.bundles[-1].bundle
            return f"{name}{' after a release' if edge.old and edge.old.bundle != latest else ''}"
        case Purge():
            return f"{name}{_rested_on(edge, edge.cause)}"
        case Drifted():
            return f"{name} {edge.cause.what}"
        case Continue():
            return f"{name}{_handed_over(edge, edge.cause)}"
        case _:
            return name


def _stood(run: RunView | None) -> str:
    if run is None:
        return "absent"
    if run.lease_left_seconds == 0:
        return f"{run.state.value}, lapsed"
    accepted = any(wait.state is WaitState.ACCEPTED for wait in run.waits)
    return f"{run.state.value}, accepted" if run.state in WAITS and accepted else run.state.value


def _by_whom(edge: Step) -> str:
    """Whether the session is one that may ask this."""
    if edge.session is None or not isinstance(edge.cause, Command):
        return ""
    if edge.session.role is not edge.cause.entry_point:
        return " at the wrong door"
    return " by a stranger" if edge.session.tenant != TENANT else " by another principal"


def _amount(edge: Step, cause: RecordAnswer | Reconcile) -> str:
    call = edge.old.call(cause.call) if edge.old else None
    if cause.cost_cents is None or call is None:
        return " without amount"
    if cause.cost_cents == 0 and edge.is_done:
        return " of nothing"
    return " above its ceiling" if cause.cost_cents > call.ceiling_cents else " within its ceiling"


def _handed_over(edge: Step, cause: Continue) -> str:
    """What a continuation was given: how its materials are labelled, whether they are all, unresolved calls."""
    source = edge.before.run(cause.source)
    if edge.new is None or source is None or edge.changed_nothing:
        return ""
    given = sorted({view.label.value for view in edge.new.inherited})
    handed = {view.material for view in edge.new.inherited}
    withheld = [material for material in source.materials if material.material not in handed]
    if withheld:
        given.append("not all")
    readable = {view.source for view in edge.before.readers if view.user == cause.user}
    if any(material.derived_from and material.source in readable for material in withheld):
        given.append("nothing that rests on what is hidden")
    if source.inherited:
        given.append("what was handed on")
    if edge.new.open_calls:
        given.append("open calls")
    return f" with {' and '.join(given)}" if given else ""


def _at_stake(edge: Step) -> str:
    """What an end, or a refusal to end, must leave as it is."""
    run = edge.old
    if run is None:
        return ""
    children = [child for view in run.children if (child := edge.before.run(view.child))]
    stakes = {
        "a body": run.publications,
        "no more than a draft": run.publications
        and not (run.calls or any(body.qualified for body in run.publications)),
        "a call": run.calls,
        "an answer": run.contract is Contract.RESUME and any(call.answer is not None for call in run.calls),
        "a used approval": any(wait.used_by for wait in run.waits),
        "a child's body": any(child.publications for child in children),
    }
    return "".join(f" with {name}" for name, is_there in stakes.items() if is_there)


def _in_the_way(edge: Step, cause: Intend) -> str:
    """Whether it is what others hold, and not what is spent, that leaves too little for a dispatch; or another run that
    has the id.
    """
    run = edge.old
    if run is not None and edge.outcome == Refused(Reason.CALL_ID_CONFLICT):
        return "" if run.call(cause.call) else " under another run's id"
    if run is None or edge.outcome != Refused(Reason.OVER_BUDGET):
        return ""
    return " beyond what is held" if cause.ceiling_cents <= run.budget_cents - run.known_cents else ""


def _kept_apart(edge: Step, text: str) -> str:
    """Whether it is large, and kept already."""
    if len(text) <= INLINE_MAX or not edge.is_done:
        return ""
    return " of a large text" if edge.before.payloads != edge.after.payloads else " of a large text that is kept"


def _rested_on(edge: Step, cause: Purge) -> str:
    """Whether a finding of a run that is over rests on a text."""
    over = (run for run in edge.before.runs if run.state in ENDS and not run.unresolved)
    is_rested_on = any(material.digest == cause.payload for run in over for material in run.materials)
    return " of what a finding rests on" if is_rested_on else ""


def _overtaken(edge: Step, cause: Intend) -> str:
    """Whether what was approved is still in force."""
    wait = edge.old.wait(cause.approval) if edge.old and cause.approval else None
    is_overtaken = wait and wait.shown and wait.shown.in_force != edge.before.in_force
    return " that was overtaken" if is_overtaken else ""


def _as_it_stands(edge: Step, name: CallId) -> str:
    """What is known of a call, and whether its tool recognises it."""
    call = edge.old.call(name) if edge.old else None
    if call is None:
        return ""
    return f" what is {call.state.value}{' and recognised' if call.recognises else ''}"


def _waited_for(edge: Step) -> str:
    """What the waits are for that a restart must not forget, and how they stand."""
    waits = sorted({f"{wait.kind.value} {wait.state.value}" for run in edge.before.runs for wait in run.waits})
    return f" with {' and '.join(waits)}" if waits else ""


def _ended(outcome: Outcome | None) -> str:
    match outcome:
        case Done():
            return "done"
        case Refused():
            return outcome.reason.value
        case _:
            return "happened"
