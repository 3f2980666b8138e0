-- What is spent, what is held, and how a run comes to its end.

-- A run's costs: the true one lies between known and known + held. A missing amount is not 0: its ceiling stays held.
create function keepfact.ledger(run text, out known_cents numeric, out held_cents numeric, out unresolved bigint)
language sql stable
as $$
  select
    coalesce(sum(c.cost_cents), 0),
    coalesce(sum(c.ceiling_cents) filter (where c.unresolved), 0),
    count(*) filter (where c.unresolved)
  from keepfact.calls c where c.run = ledger.run
$$;

-- A call of the run is in flight.
create function keepfact.has_open_call(run text) returns boolean
language sql stable
as $$
  select exists (select from keepfact.calls c where c.run = has_open_call.run and c.state = 'open')
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
  ends constant boolean := (keepfact.ledger(run)).unresolved = 0;
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
language sql stable
as $$
  select held.budget_cents - l.known_cents - l.held_cents from keepfact.ledger(held.run) l
$$;

-- Under resume a run goes on only when no operation of it is unknown.
create function keepfact.has_unknown_operation(held keepfact.runs) returns boolean
language sql stable
as $$
  select held.contract = 'resume' and exists (
    select from keepfact.calls c where c.run = held.run and c.kind = 'operation' and c.state = 'unknown'
  )
$$;
