"""No worker is left that gives no title or knows the old name."""

from alembic import op

from keepfact.impl.migrations.applying import run

revision = "2_contract"
down_revision = "2_expand"


def upgrade() -> None:
    run(
        op.get_bind(),
        """
        alter table keepfact.publications alter column title set not null;
        alter table keepfact.publications alter column title drop default;
        alter table keepfact.publications alter column deliverable set not null;
        alter table keepfact.publications drop column qualified;
        """,
    )
