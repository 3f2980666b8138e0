"""The schema of the second release: `publish` takes a title, and the column `qualified` is called `deliverable`."""

import shutil
from pathlib import Path

from keepfact.impl.migrations.applying import VERSIONS, Migrations
from keepfact.impl.schema import SQL_FILES, Schema

HERE = Path(__file__).parent

EDITS = {
    "090_ends.sql": [
        ("body text, qualified boolean) returns", "body text, qualified boolean, title text) returns"),
        # Under its id a command is remembered as it was asked, so an old worker's is remembered as before.
        (
            "jsonb_build_array('publish', run, fence, body, qualified)",
            "jsonb_build_array('publish', run, fence, body, qualified)\n"
            "    || case title when '' then '[]'::jsonb else jsonb_build_array(title) end",
        ),
        ("body, body_payload, qualified)", "body, body_payload, deliverable, title)"),
        ("keepfact.inline(body), payload, qualified)", "keepfact.inline(body), payload, qualified, title)"),
        ("and p.qualified", "and p.deliverable"),
    ],
    "120_observe.sql": [
        ("and p.qualified", "and p.deliverable"),
        ("'qualified', p.qualified", "'qualified', p.deliverable, 'title', p.title"),
    ],
}

FOR_OLDER_WORKERS = """
create function keepfact.publish(command_id text, run text, fence bigint, body text, qualified boolean) returns jsonb
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select keepfact.publish(command_id, run, fence, body, qualified, '')
$$;

revoke all on function keepfact.publish(text, text, bigint, text, boolean) from public;
grant execute on function keepfact.publish(text, text, bigint, text, boolean) to :"work";
"""


def second_release(folder: Path) -> Migrations:
    """Everything that it ships, with its SQL in that folder, which is new."""
    shutil.copytree(SQL_FILES, folder)
    (folder / "until_2").mkdir()
    (folder / "until_2" / "publish.sql").write_text(FOR_OLDER_WORKERS)
    return Migrations(Schema(_edited, folder), (VERSIONS, HERE / "revisions"))


def _edited(name: str, text: str) -> str:
    for old, new in EDITS.get(name, ()):
        assert text.count(old) == 1, f"the SQL has changed: {old!r} is not once in {name}"
        text = text.replace(old, new)
    return text
