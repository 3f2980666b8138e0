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
numbers_from_a_sequence = Mutation(
    "numbers_from_a_sequence",
    "An event gets its number from a sequence when it is written, and not in the order of the commits.",
    ("HISTORY.3", "HISTORY.2", "HISTORY.6"),
    (
        (COMMANDS, " where r.run = lock_run.run for no key update;", " where r.run = lock_run.run;"),
        (
            HISTORY,
            "  select e.number + 1, e.digest into number, previous_digest\n"
            "    from keepfact.events e where e.run = append.run order by e.number desc limit 1;\n"
            "  number := coalesce(number, 1);\n",
            "  if keepfact.last_number(run) = 0 then\n"
            "    execute format('create sequence keepfact.%I', 'numbers_' || md5(run));\n"
            "  end if;\n"
            "  number := nextval(format('keepfact.%I', 'numbers_' || md5(run))::regclass);\n"
            "  select e.digest into previous_digest\n"
            "    from keepfact.events e where e.run = append.run order by e.number desc limit 1;\n",
        ),
    ),
    reported=("B06",),
    shows_in_meetings=True,
)
