-- Entry point work, checkpoints: a run comes to wait, without lease and worker.

-- Seals a checkpoint and waits for a callback, a child or a timer. What came early is matched at once.
create function keepfact.wait(
  command_id text, run text, fence bigint, wait text, kind text, digest text, seconds bigint, arrivals integer,
  child text
) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('wait', run, fence, wait, kind, digest, seconds, arrivals, child);
  held keepfact.runs;
  answer jsonb;
begin
  if not keepfact.is_duration(seconds) or coalesce(arrivals < 1 or kind not in ('callback', 'child', 'timer'), true)
    or (arrivals > 1 and kind <> 'callback')  -- a timer fires once, a child reports once
    or not keepfact.is_name(wait) or not keepfact.is_name(digest)
  then
    return keepfact.refused('malformed');
  end if;
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  held := keepfact.lock_run(run);
  answer := keepfact.refused(coalesce(
    keepfact.guard_work(held, fence),
    keepfact.guard_wait(held, wait),
    case
      when kind <> 'callback' and keepfact.has_arrivals(run, wait) then 'wait_exists'
      when kind = 'child' and not keepfact.is_child(run, child) then 'not_a_child'
    end
  ));
  if answer is not null then
    return answer;
  end if;
  perform keepfact.seal_checkpoint(held, wait, kind, digest, seconds, arrivals, child);
  perform keepfact.stand_at(held, wait, 'waiting_external', jsonb_strip_nulls(jsonb_build_object(
    'kind', kind, 'digest', digest, 'seconds', seconds, 'arrivals', arrivals, 'child', child
  )));
  perform keepfact.accept_if_complete(run, wait);
  return keepfact.done('work', command_id, asked);
end
$$;

-- Why a run may not come to wait: nothing may be in flight, and something must be left to go on with.
create function keepfact.guard_wait(held keepfact.runs, wait text) returns text
language sql stable
as $$
  select case
    when exists (select from keepfact.waits w where w.run = held.run and w.wait = guard_wait.wait) then 'wait_exists'
    when keepfact.has_open_call(held) then 'call_open'
    when held.is_spent then 'budget_spent'
  end
$$;

-- The sealed safe point: what must be the same when the run goes on. The caller holds the run's row lock.
create function keepfact.seal_checkpoint(
  held keepfact.runs, wait text, kind text, digest text, seconds bigint, arrivals integer default 1,
  child text default null
) returns void
language plpgsql
as $$
begin
  insert into keepfact.waits (
    run, wait, kind, format, bundle, digest, history_number, budget_left_cents, until, arrivals, child
  ) values (
    held.run, wait, kind, 1, held.bundle, digest, keepfact.last_number(held.run), keepfact.budget_left_cents(held),
    keepfact.seconds_from_now(seconds), arrivals, child
  );
end
$$;

-- The run stands at its checkpoint: nobody holds it. The caller holds the run's row lock.
create function keepfact.stand_at(held keepfact.runs, wait text, state text, facts jsonb) returns void
language plpgsql
as $$
begin
  update keepfact.runs r set state = stand_at.state, worker = null, lease_until = null, deaths = 0
    where r.run = held.run;
  perform keepfact.append(held.run, 'waited', 'work', held.fence, wait, facts || jsonb_build_object(
    'wait', wait, 'state', state, 'checkpoint', keepfact.show_checkpoint(held.run, wait)
  ));
end
$$;

-- All arrivals, in whatever order they came, are the wake. The caller holds the run's row lock.
create function keepfact.accept_if_complete(run text, wait text) returns void
language plpgsql
as $$
begin
  update keepfact.waits w set state = 'accepted'
    where w.run = accept_if_complete.run and w.wait = accept_if_complete.wait and w.arrivals = (
      select count(*) from keepfact.arrivals a
      where a.run = w.run and a.wait = w.wait and not a.is_late and a.number <= w.arrivals
    );
end
$$;

-- Something came for a wait of that name.
create function keepfact.has_arrivals(run text, wait text) returns boolean
language sql stable
as $$
  select exists (select from keepfact.arrivals a where a.run = has_arrivals.run and a.wait = has_arrivals.wait)
$$;

-- The other run was spawned by this one.
create function keepfact.is_child(run text, child text) returns boolean
language sql stable
as $$
  select exists (select from keepfact.children c where c.run = is_child.run and c.child = is_child.child)
$$;

-- Its time is over. A timer's time being over is what it waits for.
create function keepfact.is_expired(known keepfact.waits) returns boolean
language sql volatile
as $$
  select known.kind <> 'timer' and keepfact.seconds_left(known.until) = 0
$$;

-- Closes every wait that nothing has woken. The caller holds the run's row lock.
create function keepfact.close_waits(run text) returns void
language plpgsql
as $$
begin
  update keepfact.waits w set state = 'closed'
    where w.run = close_waits.run and w.state in ('waiting', 'accepted');
end
$$;

-- The wait of that name; all null, if the run never sealed one.
create function keepfact.find_wait(run text, wait text) returns keepfact.waits
language plpgsql stable
as $$
declare
  known keepfact.waits;
begin
  select * into known from keepfact.waits w where w.run = find_wait.run and w.wait = find_wait.wait;
  return known;
end
$$;
