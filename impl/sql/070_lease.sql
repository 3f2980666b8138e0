-- Entry point work, the lease: who may execute a run, and until when.

-- Grants a lease on a queued run: on the one named, or without a name on the first that nobody else is claiming.
-- The worker says which bundles its release supports, and for which version of the tables it is written.
-- Lock order: the command's id, the migration, the run. Runs that others have locked are passed over, never waited for.
create function keepfact.claim(command_id text, run text, worker text, supports text[], schema integer) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('claim', run, worker, supports, schema);
  held keepfact.runs;
  answer jsonb;
begin
  if not keepfact.is_name(worker) then
    return keepfact.refused('malformed');
  end if;
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  perform keepfact.hold_migration();
  held := case when run is null then keepfact.lock_first_queued(supports) else keepfact.lock_run(run) end;
  answer := keepfact.refused(case
    when held.run is null and run is null then 'not_queued'
    when held.run is null then 'no_such_run'
    when keepfact.is_sealed(held) then 'sealed'
    when keepfact.seconds_left(held.lease_until) > 0 then 'lease_live'
    when held.state <> 'queued' then 'not_queued'
    when not keepfact.is_served(schema) then 'unsupported_schema'
    when not coalesce(held.bundle = any(supports), false) then 'unsupported_bundle'
  end);
  if answer is not null then
    return answer;
  end if;
  held.worker_schema := schema;
  return keepfact.done('work', command_id, asked, keepfact.grant_lease(held, worker, 'work'));
end
$$;

-- The queued run that was admitted first among those this release supports and nobody has locked, locked to the end of
-- the transaction.
create function keepfact.lock_first_queued(supports text[]) returns keepfact.runs
language plpgsql
as $$
declare
  held keepfact.runs;
begin
  select * into held from keepfact.runs r
    where r.tenant = keepfact.tenant() and r.state = 'queued' and r.bundle = any(supports)
    order by r.admitted limit 1 for no key update skip locked;
  return held;
end
$$;

-- Hands out the lease under the next fence, and gives the answer that says so. The caller holds the run's row lock.
create function keepfact.grant_lease(held keepfact.runs, worker text, entry_point text, concerns text default null)
returns jsonb
language plpgsql
as $$
declare
  next_fence constant bigint := held.fence + 1;
  lease_seconds constant integer := (select s.lease_seconds from keepfact.settings s);
begin
  update keepfact.runs r set
    state = 'running', fence = next_fence, worker = grant_lease.worker, worker_schema = held.worker_schema,
    lease_until = keepfact.lease_end()
  where r.run = held.run;
  perform keepfact.append(
    held.run, 'granted', entry_point, next_fence, concerns,
    jsonb_build_object('worker', worker, 'schema', held.worker_schema, 'lease_seconds', lease_seconds)
  );
  return jsonb_build_object('outcome', 'done', 'grant', jsonb_build_object(
    'run', held.run, 'fence', next_fence, 'lease_seconds', lease_seconds
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
  answer := keepfact.refused(keepfact.guard_work(held, fence, winds_up => true));
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
    case when keepfact.has_open_call(held) then 'call_open' end
  ));
  if answer is not null then
    return answer;
  end if;
  update keepfact.runs r set state = 'queued', worker = null, lease_until = null where r.run = release.run;
  perform keepfact.append(run, 'released', 'work', fence, null, '{}');
  return keepfact.done('work', command_id, asked);
end
$$;
