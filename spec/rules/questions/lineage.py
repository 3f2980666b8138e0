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
    owner = before.run(run)
    return owner is not None and all(
        view is not None and view.as_of is not None and NO_FENCE < view.fence <= owner.fence
        for view in lineage_of(before, run, material)
    )


def may_read(before: Observation, user: UserId, lineage: Lineage) -> bool:
    """The user may read the source of each now; what cannot be found nobody may read."""
    return all(view is not None and ReaderView(view.source, user) in before.readers for view in lineage)


def lineage_of(before: Observation, run: RunId, material: MaterialId) -> Lineage:
    """The material first; what it derives from was saved by the same run (SaveMaterial)."""
    owner, names = before.run(run), [material]
    if owner is None:
        return [None]
    for name in names:  # grows while it is walked, and ends also if two derive from each other
        view = owner.material(name)
        names += [more for more in (view.derived_from if view else ()) if more not in names]
    return [owner.material(name) for name in names]
