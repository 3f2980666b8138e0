"""CONTINUE: inherit material, not power."""

from dataclasses import replace

from keepfact.spec.chapter import Chapter
from keepfact.spec.vocabulary import (
    ENDS,
    NO_FENCE,
    CallId,
    Capability,
    Continue,
    EntryPoint,
    EventType,
    InheritedView,
    Label,
    MaterialId,
    Observation,
    ReadMaterial,
    Reason,
    Refused,
    RunState,
    RunView,
    Step,
    Submit,
)

from .questions.lineage import is_sound, left_by, lineage_of, may_inherit, may_read
from .questions.runs import is_unresolved

chapter = Chapter("CONTINUE", "Inherit material, not power", needs=frozenset({Capability.CONTINUATION}))


@chapter.rule(1, about=Continue)
def continuing_admits_a_run_of_its_own(step: Step) -> bool | None:
    """Continuing admits a new run, queued, with the contract and the budget that were asked for and the bundle that is
    newest; the run that it continues is there, and neither its history nor anything else of it changes.
    """
    if not isinstance(step.cause, Continue) or not step.took_effect:
        return None
    source, new = step.before.run(step.cause.source), step.new
    if step.old is not None or new is None or source is None or step.after.run(step.cause.source) != source:
        return False
    asked = (step.cause.source, step.cause.contract, step.cause.budget_cents)
    told = [(event.type, event.entry_point) for event in new.history]
    return (
        (new.continues, new.contract, new.budget_cents) == asked
        and new.state is RunState.QUEUED
        and told == [(EventType.ADMITTED, EntryPoint.CONTINUE)]
        and [new.bundle] == [view.bundle for view in step.before.bundles if not view.is_retired][-1:]
    )


@chapter.rule(2, about=Continue)
def nothing_executable_comes_along(step: Step) -> bool | None:
    """Nothing executable comes along: the new run has no fence, lease, call, cost, publication, wait, arrival, child,
    marker or material of its own, and no request id but the one it was asked under.
    """
    if not isinstance(step.cause, Continue) or not step.took_effect or step.new is None:
        return None
    return step.new == RunView(
        run=step.new.run,
        contract=step.new.contract,
        state=step.new.state,
        fence=NO_FENCE,
        budget_cents=step.new.budget_cents,
        history=step.new.history,
        tenant=step.new.tenant,
        bundle=step.new.bundle,
        request=step.cause.request,
        continues=step.new.continues,
        inherited=step.new.inherited,
        open_calls=step.new.open_calls,
        next_decision=step.new.next_decision,
    )


@chapter.rule(3, about=Continue | ReadMaterial)
def only_sound_material_is_handed_over(step: Step) -> bool | None:
    """A continuation reads only what it was handed: unread material of the run that it continues, or that this one was
    handed, of the same tenant, saved under a valid fence, traceable in identity and time through all that it derives
    from, and from a source that the user may read now.
    """
    if isinstance(step.cause, ReadMaterial):
        return _only_what_was_handed_over_is_read(step, step.cause.material)
    if not isinstance(step.cause, Continue) or not step.took_effect or not step.new or not step.new.inherited:
        return None
    left = left_by(step.before.run(step.cause.source))
    user, tenant = step.cause.user, step.new.tenant
    names = [(handed.run, handed.material) for handed in step.new.inherited]
    return (
        len(set(names)) == len(names)
        and all(name in left and is_sound(step.before, *name) for name in names)
        and all(may_read(step.before, user, lineage_of(step.before, *name)[:1]) for name in names)
        and all((owner := step.before.run(run)) is not None and owner.tenant == tenant for run, _ in names)
        and not any(handed.reads for handed in step.new.inherited)
    )


@chapter.rule(4, about=Continue)
def old_material_comes_labelled(step: Step) -> bool | None:
    """All sound material that the user may read is handed over: superseded if another replaces it, else stale if it is
    no longer fresh, and labelled so; what is neither is not called so.
    """
    if not isinstance(step.cause, Continue) or not step.took_effect or step.new is None:
        return None
    left = left_by(step.before.run(step.cause.source))
    handed = {view.material for view in step.new.inherited}
    due = {name for run, name in left if may_inherit(step.before, step.cause.user, run, name)}
    if not handed and not due:
        return None
    return due <= handed and all(_is_aged(view.label, step.before, view) for view in step.new.inherited)


@chapter.rule(5, about=Continue | ReadMaterial)
def revoked_content_does_not_come_back(step: Step) -> bool | None:
    """Revoked content does not come back inside a summary: no material is handed over that derives, through however
    many others of however many runs, from a source that the user may not read, and none is read once nobody may read
    all its sources.
    """
    if isinstance(step.cause, ReadMaterial):
        return _what_nobody_may_read_is_not_read(step, step.cause.material)
    if not isinstance(step.cause, Continue) or not step.took_effect or not step.new or not step.new.inherited:
        return None
    lineages = [lineage_of(step.before, handed.run, handed.material) for handed in step.new.inherited]
    return all(may_read(step.before, step.cause.user, lineage) for lineage in lineages)


@chapter.rule(6, about=Continue)
def a_judgement_comes_as_history(step: Step) -> bool | None:
    """An earlier judgement comes labelled as history, never as current; and only a judgement is called one."""
    if not isinstance(step.cause, Continue) or not step.took_effect or step.new is None:
        return None
    found = [(lineage_of(step.before, view.run, view.material)[0], view.label) for view in step.new.inherited]
    judged = [(material is not None and material.judgement, label) for material, label in found]
    if not any(is_judgement or label is Label.JUDGEMENT for is_judgement, label in judged):
        return None
    return all(label is not (Label.CURRENT if is_judgement else Label.JUDGEMENT) for is_judgement, label in judged)


@chapter.rule(7, about=ReadMaterial)
def reading_repeats_nothing(step: Step) -> bool | None:
    """Reading a material repeats neither its source nor its computation: one event and one more use are recorded, and
    no call, no material and nothing else comes of it, here or outside.
    """
    if not isinstance(step.cause, ReadMaterial) or not step.took_effect:
        return None
    if step.old is None or step.new is None or step.truth != step.truth_before:
        return False
    told = [(event.type, event.concerns) for event in step.new_events]
    used = [
        (old.material, new.reads - old.reads)
        for old, new in zip(step.old.inherited, step.new.inherited, strict=False)
        if old != new
    ]
    return (
        told == [(EventType.SAVED, step.cause.material)]
        and used == [(step.cause.material, 1)]
        and _without_reading(step.old) == _without_reading(step.new)
    )


@chapter.rule(8, about=Continue)
def unresolved_calls_are_shown(step: Step) -> bool | None:
    """The new run is shown each call that the run it continues has left unresolved, and no other."""
    if not isinstance(step.cause, Continue) or not step.took_effect or step.new is None:
        return None
    unresolved = _unresolved_of(step.before.run(step.cause.source))
    return sorted(step.new.open_calls) == sorted(unresolved) if unresolved or step.new.open_calls else None


@chapter.rule(9, about=Continue)
def only_a_sealed_run_is_continued(step: Step) -> bool | None:
    """A run that may still act cannot be continued; one that is sealed is not refused as if it could act."""
    if not isinstance(step.cause, Continue) or step.is_repeat or step.is_unheard:
        return None
    source = step.before.run(step.cause.source)
    if source is not None and source.state not in ENDS | {RunState.UNKNOWN}:
        return step.had_no_effect
    if step.outcome == Refused(Reason.NOT_ENDED):
        return False
    return True if source is not None and step.took_effect else None


@chapter.rule(10, about=Continue | Submit)
def a_request_admits_one_run(step: Step) -> bool | None:
    """One request id admits one run: no other run of its tenant has it, and nobody is refused for a request that no
    other run has.
    """
    if not isinstance(step.cause, (Continue, Submit)) or step.is_repeat:
        return None
    request = step.cause.request
    if step.outcome == Refused(Reason.REQUEST_TAKEN):
        tenant = step.session.tenant if step.session else None
        others = [run for run in step.before.runs if run.run != step.cause.run and tenant in {None, run.tenant}]
        return request is not None and any(run.request == request for run in others)
    if request is None or not step.took_effect or step.new is None:
        return None
    holders = [run.run for run in step.after.runs if (run.tenant, run.request) == (step.new.tenant, request)]
    return holders == [step.new.run]


def _only_what_was_handed_over_is_read(step: Step, material: MaterialId) -> bool | None:
    if step.old is None or step.is_repeat or step.is_unheard:
        return None
    was_handed = material in {view.material for view in step.old.inherited}
    if step.outcome == Refused(Reason.NO_SUCH_MATERIAL):
        return not was_handed
    if not was_handed:
        return step.had_no_effect
    return True if step.took_effect else None


def _is_aged(label: Label, before: Observation, handed: InheritedView) -> bool:
    owner = before.run(handed.run)
    view = owner.material(handed.material) if owner else None
    if owner is None or view is None:
        return False
    if any(other.replaces == handed.material for other in owner.materials):
        return label is Label.SUPERSEDED
    return label is not Label.SUPERSEDED and (label is Label.STALE) == (view.fresh_seconds == 0)


def _what_nobody_may_read_is_not_read(step: Step, material: MaterialId) -> bool | None:
    """Whose continuation a run is does not show, so only that is judged which no user may read any more."""
    if step.old is None or step.is_repeat or step.is_unheard:
        return None
    lineages = [lineage_of(step.before, view.run, material) for view in step.old.inherited if view.material == material]
    users = {reader.user for reader in step.before.readers}
    if not lineages or any(may_read(step.before, user, lineage) for user in users for lineage in lineages):
        return None
    return step.had_no_effect


def _without_reading(run: RunView) -> object:
    """The run without what reading may change: a use, an event, and what is decided next."""
    handed = [(view.material, view.run, view.label) for view in run.inherited]
    return handed, replace(run, inherited=(), history=(), next_decision=None)


def _unresolved_of(run: RunView | None) -> list[CallId]:
    return [call.call for call in run.calls if is_unresolved(call)] if run else []
