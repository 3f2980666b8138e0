"""What material a run leaves to those that continue it, and who may read it with all that it derives from."""

from keepfact.spec.vocabulary import (
    NO_FENCE,
    MaterialId,
    MaterialView,
    Observation,
    ReaderView,
    RunId,
    RunView,
    UserId,
)

Lineage = list[MaterialView | None]
"""A material, and then everything that it derives from; None stands for one that cannot be found."""


def left_by(source: RunView | None) -> list[tuple[RunId, MaterialId]]:
    """What a run saved, and what it was handed, under the run that saved it."""
    if source is None:
        return []
    own = [(source.run, view.material) for view in source.materials]
    return own + [(view.run, view.material) for view in source.inherited]


def may_inherit(before: Observation, user: UserId, run: RunId, material: MaterialId) -> bool:
    """It is fit to be handed over to a run that this user asked for."""
    return is_sound(before, run, material) and may_read(before, user, lineage_of(before, run, material))


def is_sound(before: Observation, run: RunId, material: MaterialId) -> bool:
    """It and all that it derives from can be found, say as of when they are, and were saved under a granted fence."""
    return all(
        owner is not None and view is not None and view.as_of is not None and NO_FENCE < view.fence <= owner.fence
        for owner, view in _found(before, run, material)
    )


def may_read(before: Observation, user: UserId, lineage: Lineage) -> bool:
    """The user may read the source of each now; what cannot be found nobody may read."""
    return all(view is not None and ReaderView(view.source, user) in before.readers for view in lineage)


def lineage_of(before: Observation, run: RunId, material: MaterialId) -> Lineage:
    """The material first; what it derives from may have been saved by other runs."""
    return [view for _, view in _found(before, run, material)]


def _found(before: Observation, run: RunId, material: MaterialId) -> list[tuple[RunView | None, MaterialView | None]]:
    """The material and all that it derives from, each with the run that saved it."""
    names = [(run, material)]
    for name in names:  # grows while it is walked, and ends also if two derive from each other
        names += [more for more in _parents_of(*_find(before, *name)) if more not in names]
    return [_find(before, *name) for name in names]


def _parents_of(owner: RunView | None, view: MaterialView | None) -> list[tuple[RunId, MaterialId]]:
    """What a material derives from, under the runs that saved it: what its own run saved before it, or was handed."""
    if owner is None or view is None:
        return []
    earlier = {one.material for one in owner.materials[: owner.materials.index(view)]}
    handed = {one.material: one.run for one in reversed(owner.inherited)}  # of two under one name the first is read
    return [(owner.run if name in earlier else handed.get(name, owner.run), name) for name in view.derived_from]


def _find(before: Observation, run: RunId, material: MaterialId) -> tuple[RunView | None, MaterialView | None]:
    owner = before.run(run)
    return owner, owner.material(material) if owner else None
