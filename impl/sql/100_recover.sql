-- Entry point recover: brings runs whose worker was lost to an honest end, or lets them go on, and dispatches nothing.

-- Recovers one run. Whether there is anything to do is decided here, at the write, whatever a sweep saw before.
-- Under settle it is brought to its end; under resume it is granted to the worker, unless too many died on this step.
create function keepfact.recover(
  command_id text, run text, worker text, supports text[], seen_fence bigint, schema integer default null
) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('recover', run, worker, supports, seen_fence, schema);
  held keepfact.runs;
  answer jsonb;
begin
  if not keepfact.is_name(coalesce(worker, 'none')) then
    return keepfact.refused('malformed');
  end if;
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  perform keepfact.hold_migration();
  held := keepfact.lock_run(run);
  answer := keepfact.refused(case
    when held.run is null then 'no_such_run'
    when seen_fence <> held.fence then 'stale_fence'
    when keepfact.is_sealed(held) then 'sealed'
  end);
  if answer is not null then
    return answer;
  end if;
  if held.state = 'cancelling' and coalesce(keepfact.seconds_left(held.lease_until), 0) = 0 then
    perform keepfact.settle(held, 'cancelled');
    return keepfact.done('recover', command_id, asked);
  end if;
  if keepfact.is_hopeless(held) then
    perform keepfact.close_waits(run);
    perform keepfact.settle(held, 'interrupted');
    return keepfact.done('recover', command_id, asked);
  end if;
  answer := keepfact.refused(case
    when held.lease_until is null then 'not_running'
    when keepfact.seconds_left(held.lease_until) > 0 then 'lease_live'
    when held.contract = 'resume' and worker is null then 'no_worker'
    when held.contract = 'resume' and not keepfact.is_served_or_unsaid(schema) then 'unsupported_schema'
    when held.contract = 'resume' and not coalesce(held.bundle = any(supports), false) then 'unsupported_bundle'
  end);
  if answer is not null then
    return answer;
  end if;
  if held.contract = 'settle' then
    perform keepfact.settle(held, 'interrupted');
    return keepfact.done('recover', command_id, asked);
  end if;
  held.worker_schema := coalesce(schema, held.worker_schema);
  return keepfact.done('recover', command_id, asked, keepfact.resume(held, worker));
end
$$;

-- What was in flight is unknown, and the run is over. The caller holds the run's row lock.
create function keepfact.settle(held keepfact.runs, final text) returns void
language plpgsql
as $$
begin
  perform keepfact.lose_open_calls(held.run, 'recover', held.fence);
  perform keepfact.seal(held.run, final, 'recover', held.fence);
end
$$;

-- What was in flight is unknown, and the run is granted again; when a second worker has died on the same step it is
-- settled, not tried for ever. The caller holds the run's row lock.
create function keepfact.resume(held keepfact.runs, worker text) returns jsonb
language plpgsql
as $$
begin
  update keepfact.runs r set deaths = held.deaths + 1 where r.run = held.run;
  if held.deaths + 1 >= 2 then
    perform keepfact.settle(held, 'interrupted');
    return '{"outcome": "done"}';
  end if;
  perform keepfact.lose_open_calls(held.run, 'recover', held.fence);
  return keepfact.grant_lease(held, worker, 'recover');
end
$$;

-- Nothing can wake the run any more: the time of its wait is over, or its budget is spent.
create function keepfact.is_hopeless(held keepfact.runs) returns boolean
language sql volatile
as $$
  select keepfact.is_waiting(held) and exists (
    select from keepfact.waits w
    where w.run = held.run and w.state in ('waiting', 'accepted')
      and (keepfact.is_expired(w) or held.is_spent)
  )
$$;

-- The runs that recovery can do something for, with the fence that was seen; the longest lapsed first. Each reason for
-- being lost has an index. A reading: it may be out of date when it is used.
create function keepfact.lost_runs(
  out run text, out contract text, out bundle text, out state text, out fence bigint
) returns setof record
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  now constant timestamptz := keepfact.store_now();
  lost text[];
begin
  perform keepfact.enter();
  lost := array(
    select r.run from keepfact.runs r where r.tenant = keepfact.tenant() and r.lease_until <= now
    union all
    select r.run from keepfact.runs r
    where r.tenant = keepfact.tenant() and r.state = 'cancelling' and r.lease_until is null
    union all
    select w.run from keepfact.waits w
    where w.tenant = keepfact.tenant() and w.until <= now and w.state in ('waiting', 'accepted') and w.kind <> 'timer'
    union all
    select r.run from keepfact.runs r
    where r.tenant = keepfact.tenant() and r.is_spent and r.state in ('waiting_approval', 'waiting_external')
  );
  return query
    select r.run, r.contract, r.bundle, r.state, r.fence from keepfact.runs r
    where r.run = any(lost) order by r.lease_until;
end
$$;
