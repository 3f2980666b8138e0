"""Defects of the doors: who asks is not looked at, or is believed."""

from .mutation import Mutation

SESSIONS, HISTORY, POLICIES, PRIVILEGES = (
    "005_sessions.sql",
    "030_history.sql",
    "890_tenants.sql",
    "900_privileges.sql",
)

rows_open_to_all_tenants = Mutation(
    "rows_open_to_all_tenants",
    "Who knows the id of a run may read it, and write to it, whosever it is.",
    ("TENANT.1",),
    ((POLICIES, "using ((tenant = keepfact.tenant()) is true)", "using (true)"),),
    reported=("B23",),
)
observer_may_write = Mutation(
    "observer_may_write",
    "All doors lead into the same room: whoever may look may also end a run.",
    ("TENANT.2",),
    (
        (
            PRIVILEGES,
            'grant execute on function keepfact.fail to :"work";',
            'grant execute on function keepfact.fail to :"work", :"observe";',
        ),
    ),
)
door_stays_shut = Mutation(
    "door_stays_shut",
    "Workers are turned away at their own door.",
    ("TENANT.2",),
    ((PRIVILEGES, 'grant execute on function keepfact.claim to :"work";', ""),),
)
principal_taken_from_the_body = Mutation(
    "principal_taken_from_the_body",
    "Events are signed with the name that a command gives, and anybody can give any name.",
    ("TENANT.3",),
    (
        (
            HISTORY,
            "principal constant text := current_setting('keepfact.principal');",
            "principal constant text := coalesce(facts ->> 'worker', current_setting('keepfact.principal'));",
        ),
    ),
)
signed_by_the_service = Mutation(
    "signed_by_the_service",
    "All events carry the name of the service, and nobody can tell who asked for what.",
    ("TENANT.3",),
    ((SESSIONS, "coalesce(behalf ->> 1, session_user)", "session_user::text"),),
)
