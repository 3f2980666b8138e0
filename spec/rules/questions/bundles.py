"""Which bundle a name stands for, and which way a run of it goes where a release has changed the program."""

from keepfact.spec.vocabulary import LATEST, Branch, BundleId, BundleView, Observation


def bundle_of(observation: Observation, bundle: BundleId) -> BundleView | None:
    """The bundle of that id, served or retired; None if it was never deployed."""
    return next((view for view in observation.bundles if view.bundle == bundle), None)


def resolved(observation: Observation, bundle: BundleId) -> BundleId | None:
    """What an admission under this name is pinned to; None if nothing of that name is served."""
    served = [view.bundle for view in observation.bundles if not view.is_retired]
    if bundle == LATEST:
        return served[-1] if served else None
    return bundle if bundle in served else None


def branch_of(observation: Observation, bundle: BundleId, marker: str) -> Branch:
    """The branch that runs of a bundle take at a marker: the new one if the bundle knows it."""
    view = bundle_of(observation, bundle)
    return Branch.NEW if view is not None and marker in view.markers else Branch.OLD
