"""A build of the schema for tests, in which a session can be stopped in the middle of a command.

In the functions stand comments, `-- milestone: locked run`. Built so, each is a call: a session that says by its
application name that it is an actor waits there for a lock that whoever directs the actors holds; any other session
goes on at once.
"""

import re

ACTOR = "keepfact-actor-"
"""An actor's application name begins so, and goes on with its number."""

MILESTONES_MAX = 40
"""How often an actor can be stopped in one transaction; from there on it runs freely."""

_COMMENT = re.compile(r"^( *)-- milestone: (.+)$", re.MULTILINE)
_FIRST_FILE = "005_sessions.sql"

# The name is shown to whoever directs, and so is what the actor waits for: its own number, and how often it waited.
_FUNCTION = f"""
create function keepfact.milestone(name text) returns void
language plpgsql
as $$
declare
  actor constant integer := substring(current_setting('application_name') from '^{ACTOR}([0-9]+)')::integer;
  passed integer;
begin
  if actor is null then
    return;
  end if;
  passed := coalesce(nullif(current_setting('keepfact.passed', true), '')::integer, 0);
  perform set_config('keepfact.passed', (passed + 1)::text, true);
  perform set_config('application_name', '{ACTOR}' || actor || ' ' || name, true);
  perform pg_advisory_xact_lock_shared(actor, passed);
end
$$;
"""


def with_milestones(name: str, text: str) -> str:
    """An edit of the schema's files."""
    text = _COMMENT.sub(lambda found: f"{found[1]}perform keepfact.milestone('{found[2]}');", text)
    return text + _FUNCTION if name == _FIRST_FILE else text
