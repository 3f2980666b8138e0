"""Defects that show only where commands meet. One line of defence would hide another: both are taken away."""

from .mutation import Mutation

TABLES, HISTORY, COMMANDS = "010_tables.sql", "030_history.sql", "040_commands.sql"

_NUMBERS_NOT_UNIQUE = (
    TABLES,
    "  digest text not null,\n  primary key (run, number)\n",
    "  digest text not null\n",
)

run_not_locked = Mutation(
    "run_not_locked",
    "A command looks at its run and writes later, as if nobody else could write in between.",
    ("HISTORY.3", "ENTRY.4"),
    (
        (COMMANDS, " where r.run = lock_run.run for no key update;", " where r.run = lock_run.run;"),
        _NUMBERS_NOT_UNIQUE,
    ),
    shows_in_meetings=True,
)
