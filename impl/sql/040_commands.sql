-- What all writing commands share. Each runs as one transaction and takes its locks in this order:
--   1. the command's id (advisory, to the end of the transaction), so that of two equal commands one waits for the other;
--   2. the row of the run, so that what was checked still holds when it is written.

-- Done: the answer is remembered with the command, and the write-ahead log is told which entry point wrote.
create function keepfact.done(
  entry_point text, command_id text, asked jsonb, answer jsonb default '{"outcome": "done"}'
) returns jsonb
language plpgsql
as $$
begin
  insert into keepfact.answers values (command_id, keepfact.digest(asked::text), answer);
  perform pg_logical_emit_message(true, 'keepfact', entry_point || ':' || (asked ->> 0));
  return answer;
end
$$;

-- Refused: it certainly did not happen, and the reason says why. No reason, no refusal.
create function keepfact.refused(reason text) returns jsonb
language sql immutable
as $$
  select case when reason is not null then jsonb_build_object('outcome', 'refused', 'reason', reason) end
$$;

-- An id goes into digests, one a line, and into the headers of requests: printable ASCII without spaces, at most 200.
create function keepfact.is_id(value text) returns boolean
language sql immutable
as $$
  select coalesce(value collate "C" ~ '^[!-~]{1,200}$', false)
$$;

-- What a command that was already done was answered; a conflict, if its id was given to another; null, if it is new.
create function keepfact.first_answer(command_id text, asked jsonb) returns jsonb
language plpgsql
as $$
declare
  known keepfact.answers;
begin
  if not keepfact.is_id(command_id) then
    return keepfact.refused('malformed');
  end if;
  perform pg_advisory_xact_lock(hashtextextended(command_id, 0));
  select * into known from keepfact.answers a where a.command_id = first_answer.command_id;
  if known.command_digest <> keepfact.digest(asked::text) then
    return keepfact.refused('command_id_conflict');
  end if;
  return known.answer;
end
$$;

-- The run, locked to the end of the transaction; all null, if there is none. Callers lock in a statement of its own:
-- what is read in the statements after it was committed by whoever held the lock before.
create function keepfact.lock_run(run text) returns keepfact.runs
language plpgsql
as $$
declare
  held keepfact.runs;
begin
  select * into held from keepfact.runs r where r.run = lock_run.run for update;
  return held;
end
$$;

-- Execution is over: ended, or sealed until evidence comes.
create function keepfact.is_sealed(held keepfact.runs) returns boolean
language sql immutable
as $$
  select held.state not in ('queued', 'running')
$$;

-- Why a worker's command may not write: it must come under the current fence, to a run that executes, in time.
create function keepfact.guard_work(held keepfact.runs, fence bigint) returns text
language sql volatile
as $$
  select case
    when held.run is null then 'no_such_run'
    when fence is distinct from held.fence then 'stale_fence'
    when keepfact.is_sealed(held) then 'sealed'
    when held.state = 'queued' then 'not_running'
    when keepfact.lease_left_seconds(held.lease_until) = 0 then 'lease_lapsed'
  end
$$;
