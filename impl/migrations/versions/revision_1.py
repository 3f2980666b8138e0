"""The tables as the first release has them."""

from alembic import op

from keepfact.impl.migrations.applying import run, schema_of

revision = "1"
down_revision = None


def upgrade() -> None:
    """Whoever downgrades loses facts, so there is no way back."""
    for text in schema_of(op.get_context()).tables():
        run(op.get_bind(), text)
