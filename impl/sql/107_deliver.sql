-- Entry point deliver: what comes for a wait. Before it, in time, twice, out of order or late: it is kept.

-- Records an arrival and with the last one accepts the wake, in one commit. What comes too late wakes nobody.
create function keepfact.deliver(
  command_id text, run text, wait text, kind text, number integer, digest text
) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('deliver', run, wait, kind, number, digest);
  held keepfact.runs;
  known keepfact.waits;
  same text;
  is_late boolean;
  answer jsonb;
begin
  if coalesce(number < 1, true) or not keepfact.is_name(digest) or not keepfact.is_name(wait)
    or coalesce(kind not in ('approval', 'callback', 'child', 'timer'), true)
  then
    return keepfact.refused('malformed');
  end if;
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  held := keepfact.lock_run(run);
  known := keepfact.find_wait(run, wait);
  select a.digest into same from keepfact.arrivals a
    where a.run = deliver.run and a.wait = deliver.wait and a.number = deliver.number;
  is_late := keepfact.is_sealed(held) or known.state in ('consumed', 'closed') or keepfact.is_expired(known);
  answer := keepfact.refused(case
    when held.run is null then 'no_such_run'
    when kind = 'approval' or known.kind <> kind then 'no_such_wait'
    when same <> digest then 'arrival_conflict'
    when same is not null or is_late then null
    when known.wait is null and kind <> 'callback' then 'no_such_wait'
    when known.wait is not null then keepfact.guard_due(known, number)
  end);
  if answer is not null then
    return answer;
  end if;
  if same is null then
    perform keepfact.arrive(run, wait, number, digest, coalesce(is_late, false));
  end if;
  return keepfact.done('deliver', command_id, asked);
end
$$;

-- Why something may not come yet: a timer that is not due, a child that has not ended, more than is waited for.
create function keepfact.guard_due(known keepfact.waits, number integer) returns text
language sql volatile
as $$
  select case
    when known.kind = 'timer' and keepfact.seconds_left(known.until) > 0 then 'not_due'
    when known.kind = 'child' and not exists (
      select from keepfact.runs r where r.run = known.child and keepfact.is_ended(r)
    ) then 'not_due'
    when number > known.arrivals then 'not_awaited'
  end
$$;

-- Keeps what came, and tells of it. The caller holds the run's row lock.
create function keepfact.arrive(run text, wait text, number integer, digest text, is_late boolean) returns void
language plpgsql
as $$
begin
  insert into keepfact.arrivals (run, wait, number, digest, is_late) values (run, wait, number, digest, is_late);
  if not is_late then
    perform keepfact.accept_if_complete(run, wait);
  end if;
  perform keepfact.append(
    run, case when is_late then 'arrived_late' else 'arrived' end, 'deliver', null, wait,
    jsonb_build_object('wait', wait, 'number', number, 'digest', digest)
  );
end
$$;

-- The timers that are due and the children that have ended, of which nobody has told their wait yet. A reading.
create function keepfact.due_deliveries(out run text, out wait text, out kind text, out child text) returns setof record
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  now constant timestamptz := keepfact.store_now();
begin
  perform keepfact.enter();
  return query
    select due.run, due.wait, due.kind, due.child from (
      select w.* from keepfact.waits w
      where w.tenant = keepfact.tenant() and w.state = 'waiting' and w.kind = 'timer' and w.until <= now
      union all
      select w.* from keepfact.waits w join keepfact.runs r on r.run = w.child
      where w.tenant = keepfact.tenant() and w.state = 'waiting' and w.kind = 'child' and w.until > now
        and keepfact.is_ended(r)
    ) as due
    order by due.until;
end
$$;
