"""What is kept beyond one run: findings and who may read them, bundles, the schema, payloads."""

from dataclasses import dataclass

from keepfact.spec.vocabulary.terms import BundleId, EntryPoint, MaterialId, SourceId, UserId

from .asked import Asked, Worked


@dataclass(frozen=True, slots=True)
class SaveMaterial(Worked):
    """Save a finding: from which source, as of when, derived from which others, and which earlier one it replaces.

    A name in `derived_from` is what the run itself has saved under it by now, or else what it was handed under it; what
    is saved later changes no lineage. It replaces only one of its own run. It is fresh for `fresh_seconds`. A judgement
    is what somebody concluded, not what was observed.
    """

    material: MaterialId
    source: SourceId
    digest: str
    as_of: str | None
    fresh_seconds: int
    derived_from: tuple[MaterialId, ...] = ()
    replaces: MaterialId | None = None
    judgement: bool = False


@dataclass(frozen=True, slots=True)
class ReadMaterial(Worked):
    """Use a material that was handed over when the run was admitted. Neither source nor computation is repeated."""

    material: MaterialId


@dataclass(frozen=True, slots=True)
class Grant(Asked):
    """Let a user read a source."""

    entry_point = EntryPoint.GRANT

    source: SourceId
    user: UserId


@dataclass(frozen=True, slots=True)
class Revoke(Asked):
    """Withdraw a grant, also from whatever was derived from the source."""

    entry_point = EntryPoint.GRANT

    source: SourceId
    user: UserId


@dataclass(frozen=True, slots=True)
class Deploy(Asked):
    """Let workers take runs of a bundle, after it was replayed against stored histories: how many, how many diverged.

    `markers` name the changed branches that the bundle knows.
    """

    entry_point = EntryPoint.DEPLOY

    bundle: BundleId
    replayed: int
    diverged: int
    markers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Retire(Asked):
    """Withdraw a bundle that no run needs any more; refused, it lists the runs that do."""

    entry_point = EntryPoint.DEPLOY

    bundle: BundleId


@dataclass(frozen=True, slots=True)
class Migrate(Asked):
    """Begin to migrate the schema to the next version: from its commit on both versions' workers are served."""

    entry_point = EntryPoint.DEPLOY


@dataclass(frozen=True, slots=True)
class EndMigration(Asked):
    """Serve only the next version's workers from now on; refused while one of the old version holds a lease."""

    entry_point = EntryPoint.DEPLOY


@dataclass(frozen=True, slots=True)
class Purge(Asked):
    """Forget the text behind a payload digest; the events that name it stay."""

    entry_point = EntryPoint.PURGE

    payload: str
