"""Findings: saved with their lineage, handed over as far as their reader may read all of it, never as power."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    EntryPoint,
    EventType,
    Grant,
    InheritedView,
    Label,
    MaterialId,
    MaterialView,
    ReaderView,
    ReadMaterial,
    Reason,
    Refused,
    Revoke,
    RunId,
    SaveMaterial,
    UserId,
)

from .state import Change, Run, State, WideChange, changed

WORK = EntryPoint.WORK


def save_material(run: Run, command: SaveMaterial) -> Change:
    """A finding with where it is from and what it rests on."""
    own = {material.material for material in run.materials}
    known = own | {handed.material for handed in run.inherited}
    if command.material in own:
        return Refused(Reason.MATERIAL_EXISTS)
    if not known.issuperset(command.derived_from) or command.replaces not in own | {None}:
        return Refused(Reason.NO_SUCH_MATERIAL)
    material = MaterialView(
        command.material,
        command.source,
        command.digest,
        command.fence,
        command.as_of,
        command.fresh_seconds,
        command.derived_from,
        command.replaces,
        command.judgement,
    )
    saved = changed(run, materials=(*run.materials, material))
    return saved.tells(EventType.SAVED, WORK, run.fence, command.material)


def read_material(state: State, run: Run, command: ReadMaterial) -> Change:
    """What was handed over is used as it stands, if it may still be read; nothing is fetched or computed again."""
    inherited = next((one for one in run.inherited if one.material == command.material), None)
    if inherited is None:
        return Refused(Reason.NO_SUCH_MATERIAL)
    origin = state.run(inherited.run)
    material = None if origin is None else _material(origin, inherited.material)
    if origin is None or material is None or run.user is None or not _may_read(state, origin, material, run.user):
        return Refused(Reason.NOT_READABLE)
    again = replace(inherited, reads=inherited.reads + 1)
    used = changed(run, inherited=tuple(again if one is inherited else one for one in run.inherited))
    return used.tells(EventType.SAVED, WORK, run.fence, command.material)


def handed_over(state: State, source: Run, user: UserId) -> tuple[InheritedView, ...]:
    """What this user may read of all that a run has saved or was handed itself."""
    found = [(one.run, one.material) for one in source.inherited]
    found += [(source.run, material.material) for material in source.materials]
    return tuple(view for run, material in found if (view := _handed(state, run, material, user)) is not None)


def grant(state: State, command: Grant) -> WideChange:
    """Granting twice is granting once."""
    reader = ReaderView(command.source, command.user)
    return state if reader in state.readers else changed(state, readers=(*state.readers, reader))


def revoke(state: State, command: Revoke) -> WideChange:
    """From here on nothing of the source may be read by that user, in whatever it went into."""
    reader = ReaderView(command.source, command.user)
    if reader not in state.readers:
        return Refused(Reason.NO_SUCH_GRANT)
    return changed(state, readers=tuple(one for one in state.readers if one != reader))


def _handed(state: State, run: RunId, material_id: MaterialId, user: UserId) -> InheritedView | None:
    origin = state.run(run)
    material = None if origin is None else _material(origin, material_id)
    if origin is None or material is None or not _may_read(state, origin, material, user):
        return None
    return InheritedView(material_id, run, _label(origin, material))


def _may_read(state: State, origin: Run, material: MaterialView, user: UserId) -> bool:
    """Traceable, and readable with everything that it derives from."""
    is_readable = material.as_of is not None and ReaderView(material.source, user) in state.readers
    parents = [_parent(state, origin, material, name) for name in material.derived_from]
    return is_readable and all(parent is not None and _may_read(state, *parent, user) for parent in parents)


def _parent(state: State, origin: Run, material: MaterialView, name: MaterialId) -> tuple[Run, MaterialView] | None:
    """What a run meant by a name when it saved a material: one of its own that it had by then, or what it was handed.

    What it saves later under that name changes no lineage.
    """
    earlier = origin.materials[: origin.materials.index(material)]
    own = next((one for one in earlier if one.material == name), None)
    if own is not None:
        return origin, own
    handed = next((one for one in origin.inherited if one.material == name), None)
    giver = None if handed is None else state.run(handed.run)
    given = None if giver is None else _material(giver, name)
    return None if giver is None or given is None else (giver, given)


def _label(origin: Run, material: MaterialView) -> Label:
    if any(other.replaces == material.material for other in origin.materials):
        return Label.SUPERSEDED
    if material.fresh_seconds == 0:
        return Label.STALE
    return Label.JUDGEMENT if material.judgement else Label.CURRENT


def _material(run: Run, material: MaterialId) -> MaterialView | None:
    return next((one for one in run.materials if one.material == material), None)
