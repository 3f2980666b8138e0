-- What all writing commands share. Each runs as one transaction and takes its locks in this order:
--   1. the command's id (advisory, to the end of the transaction), so that of two equal commands one waits;
--   2. the migration (advisory, shared by those who claim a run, alone for those who begin or end one);
--   3. the row of the bundle that a run is pinned to, by whoever admits a run or retires the bundle;
--   4. the rows of runs, so that what was checked still holds when it is written; a parent before its children;
--   5. what is in force, and payloads.
-- Nobody takes one that stands earlier in this list than one that is held already. Rows are locked without their keys:
-- a foreign key is then checked beside such a lock, and never waits for it, wherever in the list it stands.

-- Done: the answer is remembered with the command, and the write-ahead log is told which entry point wrote.
create function keepfact.done(
  entry_point text, command_id text, asked jsonb, answer jsonb default '{"outcome": "done"}'
) returns jsonb
language plpgsql
as $$
begin
  insert into keepfact.answers (command_id, command_digest, answer)
    values (command_id, keepfact.digest(asked::text), answer);
  -- milestone: done, not committed
  perform pg_logical_emit_message(true, 'keepfact', entry_point || ':' || (asked ->> 0));
  if (select s.notifies from keepfact.settings s) then
    perform pg_notify('keepfact', asked ->> 1);  -- a hint to look; what there is to see is the history
  end if;
  return answer;
end
$$;

-- Refused: it certainly did not happen, and the reason says why. No reason, no refusal: being strict, this function is
-- not even called then. Runs may stand in its way.
create function keepfact.refused(reason text, runs text[] default '{}') returns jsonb
language sql immutable strict
as $$
  select jsonb_build_object('outcome', 'refused', 'reason', reason, 'runs', runs)
$$;

-- An id goes into digests, one a line, and into the headers of requests: printable ASCII without spaces, at most 200.
create function keepfact.is_id(value text) returns boolean
language sql immutable
as $$
  select coalesce(length(value) between 1 and 200 and value collate "C" !~ '[^!-~]', false)
$$;

-- Other names go into digests only: one line, at most 200 characters.
create function keepfact.is_name(value text) returns boolean
language sql immutable
as $$
  select coalesce(length(value) between 1 and 200 and value !~ '[[:cntrl:]]', false)
$$;

-- Several names in a list, which may be empty; nothing else that an array can be.
create function keepfact.is_list(names text[]) returns boolean
language sql immutable
as $$
  select case
    when names is null or array_ndims(names) > 1 then false
    else not exists (select from unnest(names) as one (name) where not keepfact.is_name(one.name))
  end
$$;

-- Every writing command begins here. What a command that was already done was answered; a conflict, if its id was given
-- to another; null, if it is new.
create function keepfact.first_answer(command_id text, asked jsonb) returns jsonb
language plpgsql
as $$
declare
  known keepfact.answers;
begin
  if not keepfact.is_id(command_id) then
    return keepfact.refused('malformed');
  end if;
  perform keepfact.enter();
  -- milestone: asked
  perform pg_advisory_xact_lock(hashtextextended(keepfact.tenant() || ' ' || command_id, 0));
  select * into known from keepfact.answers a
    where a.tenant = keepfact.tenant() and a.command_id = first_answer.command_id;
  if known.command_digest is not null and known.command_digest <> keepfact.digest(asked::text) then
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
  -- milestone: locking run
  select * into held from keepfact.runs r where r.run = lock_run.run for no key update;
  -- milestone: locked run
  return held;
end
$$;

-- Execution is over: ended, or sealed until evidence comes.
create function keepfact.is_sealed(held keepfact.runs) returns boolean
language sql immutable
as $$
  select held.state in ('unknown', 'succeeded', 'failed', 'cancelled', 'interrupted')
$$;

-- The run has an end, and nothing is awaited any more.
create function keepfact.is_ended(held keepfact.runs) returns boolean
language sql immutable
as $$
  select held.state in ('succeeded', 'failed', 'cancelled', 'interrupted')
$$;

-- The run stands at a checkpoint.
create function keepfact.is_waiting(held keepfact.runs) returns boolean
language sql immutable
as $$
  select held.state in ('waiting_approval', 'waiting_external')
$$;

-- Why a worker's command may not write: it must come under the current fence, to a run that executes, in time. Once a
-- run was asked to stop, only what winds it up may be written.
create function keepfact.guard_work(held keepfact.runs, fence bigint, winds_up boolean default false) returns text
language sql volatile
as $$
  select case
    when held.run is null then 'no_such_run'
    when fence is distinct from held.fence then 'stale_fence'
    when keepfact.is_sealed(held) then 'sealed'
    when held.lease_until is null then 'not_running'
    when held.lease_until <= keepfact.store_now() then 'lease_lapsed'
    when held.state = 'cancelling' and not winds_up then 'cancelling'
  end
$$;

-- Something was done that no lost worker has to do again: deaths are counted anew. The caller holds the run's row lock.
create function keepfact.progress(held keepfact.runs) returns void
language plpgsql
as $$
begin
  if held.deaths > 0 then
    update keepfact.runs r set deaths = 0 where r.run = held.run;
  end if;
end
$$;
