-- Entry point work, the lease: who may execute a run, and until when.

-- Grants a lease on a queued run: on the one named, or without a name on the first that nobody else is claiming.
-- Lock order: the command's id, the run. Runs that others have locked are passed over, never waited for.
create function keepfact.claim(command_id text, run text, worker text) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('claim', run, worker);
  held keepfact.runs;
  answer jsonb;
begin
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  held := case when run is null then keepfact.lock_first_queued() else keepfact.lock_run(run) end;
  answer := keepfact.refused(case
    when held.run is null and run is null then 'not_queued'
    when held.run is null then 'no_such_run'
    when keepfact.is_sealed(held) then 'sealed'
    when held.state = 'running' and keepfact.lease_left_seconds(held.lease_until) > 0 then 'lease_live'
    when held.state = 'running' then 'not_queued'
  end);
  if answer is not null then
    return answer;
  end if;
  return keepfact.grant_lease(command_id, asked, held, worker);
end
$$;

-- The queued run that was admitted first among those nobody has locked, locked to the end of the transaction.
create function keepfact.lock_first_queued() returns keepfact.runs
language plpgsql
as $$
declare
  held keepfact.runs;
begin
  select * into held from keepfact.runs r where r.state = 'queued'
    order by r.admitted limit 1 for update skip locked;
  return held;
end
$$;

-- Hands out the lease under the next fence. The caller holds the run's row lock.
create function keepfact.grant_lease(command_id text, asked jsonb, held keepfact.runs, worker text) returns jsonb
language plpgsql
as $$
declare
  next_fence constant bigint := held.fence + 1;
  lease_seconds constant integer := (select s.lease_seconds from keepfact.settings s);
begin
  update keepfact.runs r set
    state = 'running', fence = next_fence, worker = grant_lease.worker, lease_until = keepfact.lease_end()
  where r.run = held.run;
  perform keepfact.append(
    held.run, 'granted', 'work', next_fence, null,
    jsonb_build_object('worker', worker, 'lease_seconds', lease_seconds)
  );
  return keepfact.done('work', command_id, asked, jsonb_build_object(
    'outcome', 'done',
    'grant', jsonb_build_object('run', held.run, 'fence', next_fence, 'lease_seconds', lease_seconds)
  ));
end
$$;

-- Gives a live lease its full length again, from now. A heartbeat, not progress: the history does not grow.
create function keepfact.renew(command_id text, run text, fence bigint) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('renew', run, fence);
  held keepfact.runs;
  answer jsonb;
begin
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  held := keepfact.lock_run(run);
  answer := keepfact.refused(keepfact.guard_work(held, fence));
  if answer is not null then
    return answer;
  end if;
  update keepfact.runs r set lease_until = keepfact.lease_end() where r.run = renew.run;
  return keepfact.done('work', command_id, asked);
end
$$;

-- Hands the run back to the queue; not while a call is in flight. The fence stays.
create function keepfact.release(command_id text, run text, fence bigint) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('release', run, fence);
  held keepfact.runs;
  answer jsonb;
begin
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  held := keepfact.lock_run(run);
  answer := keepfact.refused(coalesce(
    keepfact.guard_work(held, fence),
    case when keepfact.has_open_call(run) then 'call_open' end
  ));
  if answer is not null then
    return answer;
  end if;
  update keepfact.runs r set state = 'queued', worker = null, lease_until = null where r.run = release.run;
  perform keepfact.append(run, 'released', 'work', fence, null, '{}');
  return keepfact.done('work', command_id, asked);
end
$$;
