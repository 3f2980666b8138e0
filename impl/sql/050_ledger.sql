-- What is spent, what is held, and how a run comes to its end.

-- A run's costs: the true one lies between known and known + held. A missing amount is not 0: its ceiling stays held.
-- They are sums over its calls, kept in the run's row, so that a long run's next call costs no more than a short one's.
create function keepfact.keep_sums() returns trigger
language plpgsql
as $$
begin
  update keepfact.runs r set
    known_cents = r.known_cents + coalesce(new.cost_cents, 0) - coalesce(old.cost_cents, 0),
    held_cents = r.held_cents + keepfact.held_cents(new) - keepfact.held_cents(old),
    unresolved = r.unresolved + new.unresolved::integer - coalesce(old.unresolved, false)::integer,
    unknown_operations = r.unknown_operations
      + keepfact.is_unknown_operation(new)::integer - keepfact.is_unknown_operation(old)::integer
  where r.run = new.run;
  return null;
end
$$;

create trigger sums_follow_the_calls after insert or update on keepfact.calls
  for each row execute function keepfact.keep_sums();

-- What is held for a call; 0 without one.
create function keepfact.held_cents(call keepfact.calls) returns numeric
language sql immutable
as $$
  select case when call.unresolved then call.ceiling_cents else 0 end
$$;

-- An operation of which nobody knows whether it acted; without a call it is not.
create function keepfact.is_unknown_operation(call keepfact.calls) returns boolean
language sql immutable
as $$
  select coalesce(call.kind = 'operation' and call.state = 'unknown', false)
$$;

-- How many calls of the run are unresolved now, whatever was read of it before. The caller holds the run's row lock.
create function keepfact.count_unresolved(run text) returns bigint
language sql stable
as $$
  select r.unresolved from keepfact.runs r where r.run = count_unresolved.run
$$;

-- A call of the run is in flight. Where nothing is unresolved none is, and none is looked for.
create function keepfact.has_open_call(held keepfact.runs) returns boolean
language sql stable
as $$
  select held.unresolved > 0 and exists (select from keepfact.calls c where c.run = held.run and c.state = 'open')
$$;

-- A call whose answer is lost: unknown until evidence comes. The caller holds the run's row lock.
create function keepfact.lose(run text, call text, entry_point text, fence bigint) returns void
language plpgsql
as $$
begin
  update keepfact.calls c set state = 'unknown' where c.run = lose.run and c.call = lose.call;
  perform keepfact.append(run, 'lost', entry_point, fence, call, jsonb_build_object('call', call));
end
$$;

-- Loses every call in flight, in order of intent. The caller holds the run's row lock.
create function keepfact.lose_open_calls(run text, entry_point text, fence bigint) returns void
language plpgsql
as $$
declare
  call text;
begin
  for call in
    select c.call from keepfact.calls c where c.run = lose_open_calls.run and c.state = 'open' order by c.intent
  loop
    perform keepfact.lose(run, call, entry_point, fence);
  end loop;
end
$$;

-- Ends a run, or seals it as unknown while a call is unresolved. The caller holds the run's row lock.
create function keepfact.seal(
  run text, final text, entry_point text, fence bigint, error text default null
) returns void
language plpgsql
as $$
declare
  ends constant boolean := keepfact.count_unresolved(run) = 0;
begin
  update keepfact.runs r set
    state = case when ends then final else 'unknown' end,
    sealed_for = case when not ends then final end,
    worker = null,
    lease_until = null
  where r.run = seal.run;
  perform keepfact.append(
    run, case when ends then 'ended' else 'sealed' end, entry_point, fence, null,
    jsonb_strip_nulls(jsonb_build_object('end', final, 'error', error))
  );
end
$$;

-- What may still be promised to anybody; below 0 after an amount above its ceiling, however far.
create function keepfact.budget_left_cents(held keepfact.runs) returns numeric
language sql immutable
as $$
  select held.budget_cents - held.known_cents - held.held_cents
$$;

-- Under resume a run goes on only when no operation of it is unknown.
create function keepfact.has_unknown_operation(held keepfact.runs) returns boolean
language sql immutable
as $$
  select held.contract = 'resume' and held.unknown_operations > 0
$$;
