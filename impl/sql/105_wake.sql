-- Entry point wake: the narrow door back. A wake that was accepted is consumed by one grant.

-- Consumes an accepted wake and grants the run, in one commit: everything that the checkpoint sealed is the same, or it
-- is refused.
create function keepfact.wake(
  command_id text, run text, wait text, worker text, digest text, supports text[], format integer,
  schema integer default null
) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('wake', run, wait, worker, digest, supports, format, schema);
  held keepfact.runs;
  known keepfact.waits;
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
  held := keepfact.lock_run(run);
  known := keepfact.find_wait(run, wait);
  answer := keepfact.refused(case
    when held.run is null then 'no_such_run'
    when keepfact.is_sealed(held) then 'sealed'
    when known.wait is null then 'no_such_wait'
    when known.state = 'consumed' then 'wake_consumed'
    when known.state = 'closed' then 'wait_closed'
    when format is distinct from known.format then 'unsupported_format'
    when not keepfact.is_served_or_unsaid(schema) then 'unsupported_schema'
    when not coalesce(held.bundle = any(supports), false) then 'unsupported_bundle'
    when digest is distinct from known.digest then 'digest_differs'
    when keepfact.is_expired(known) then 'expired'
    when known.state = 'waiting' then 'not_accepted'
    when held.is_spent then 'budget_spent'
  end);
  if answer is not null then
    return answer;
  end if;
  update keepfact.waits w set state = 'consumed' where w.run = wake.run and w.wait = wake.wait;
  update keepfact.runs r set deaths = 0 where r.run = wake.run;
  held.worker_schema := coalesce(schema, held.worker_schema);
  return keepfact.done('wake', command_id, asked, keepfact.grant_lease(held, worker, 'wake', wait));
end
$$;

-- The wakes that were accepted and not used yet, for a release that supports these bundles. A reading.
create function keepfact.accepted_wakes(
  supports text[], out run text, out wait text, out digest text, out format integer
) returns setof record
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform keepfact.enter();
  return query
    select w.run, w.wait, w.digest, w.format
    from keepfact.waits w join keepfact.runs r on r.run = w.run
    where w.tenant = keepfact.tenant() and w.state = 'accepted'
      and r.bundle = any(supports) and not keepfact.is_expired(w)
    order by w.place;
end
$$;
