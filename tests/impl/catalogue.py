"""The schema of an installation as the server tells it."""

import psycopg

CATALOGUE = {
    "functions": """
        select concat_ws(' ', pg_get_functiondef(p.oid), array(select unnest(p.proacl)::text order by 1)::text)
        from pg_proc p where p.pronamespace = 'keepfact'::regnamespace
    """,
    "columns": """
        select concat_ws(' ', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
          a.attgenerated, pg_get_expr(d.adbin, d.adrelid), c.relrowsecurity, c.relforcerowsecurity, c.relacl::text)
        from pg_attribute a join pg_class c on c.oid = a.attrelid
        left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where c.relnamespace = 'keepfact'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
    """,
    "constraints": """
        select conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint
        where connamespace = 'keepfact'::regnamespace
    """,
    "indexes": "select indexdef from pg_indexes where schemaname = 'keepfact'",
    "policies": "select concat_ws(' ', tablename, policyname, qual, with_check) from pg_policies",
    "triggers": "select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal",
    "owners": "select distinct pg_get_userbyid(relowner) from pg_class where relnamespace = 'keepfact'::regnamespace",
    "revision": "select version_num from alembic_version",
}  # fmt: skip


def catalogue_of(admin: psycopg.Connection) -> dict[str, list[str]]:
    """All of the schema, as the server tells it, with `ours` for the name of the installation."""
    name = admin.info.dbname
    return {
        what: sorted(str(row[0]).replace(f"{name}_", "ours_") for row in admin.execute(query.encode()))
        for what, query in CATALOGUE.items()
    }
