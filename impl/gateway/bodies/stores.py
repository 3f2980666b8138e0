"""What is kept beyond one run: findings and who may read them, bundles, the schema, payloads."""

from .fields import Body, Name, Names, Text, User, Whole, Word, Worked


class SaveMaterial(Worked):
    """Save a finding: from which source, as of when, derived from which others, and which earlier one it replaces."""

    material: Name
    source: Name
    digest: Word
    as_of: Word | None
    fresh_seconds: Whole
    derived_from: Names = ()
    replaces: Name | None = None
    judgement: bool = False
    content: Text | None = None


class ReadMaterial(Worked):
    """Use a material that was handed over when the run was admitted."""

    material: Name


class Grant(Body):
    """Let a user read a source."""

    user: User


class Revoke(Body):
    """Withdraw a grant, also from whatever was derived from the source."""

    user: User


class Deploy(Body):
    """Let workers take runs of a bundle, after so many stored histories were replayed and so many diverged."""

    replayed: Whole
    diverged: Whole
    markers: Names = ()


class Retire(Body):
    """Withdraw a bundle that no run needs any more; refused, it lists the runs that do."""


class Migrate(Body):
    """Begin to migrate the schema to the next version."""


class EndMigration(Body):
    """Serve only the next version's workers from now on."""


class Purge(Body):
    """Forget the text behind a payload digest; the events that name it stay."""
