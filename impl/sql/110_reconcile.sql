-- Entry point reconcile: evidence on unresolved calls. Nothing is sent again.

-- Records what a provider, a tool or a named person says; the last evidence a sealed run waits for ends it. Who asked a
-- tool says how often the call had been sent then: what was found out is no evidence about a later request.
create function keepfact.reconcile(
  command_id text, run text, call text, evidence text, cost_cents bigint, sends integer default null
) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('reconcile', run, call, evidence, cost_cents, sends);
  held keepfact.runs;
  answer jsonb;
begin
  if cost_cents < 0 or (cost_cents is not null and evidence <> 'confirmed')
    or evidence is null or evidence not in ('confirmed', 'not_found', 'ambiguous')
  then
    return keepfact.refused('malformed');
  end if;
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  held := keepfact.lock_run(run);
  answer := keepfact.refused(keepfact.guard_evidence(held, keepfact.find_call(run, call), evidence, sends));
  if answer is not null then
    return answer;
  end if;
  perform keepfact.take_evidence(run, call, evidence, cost_cents);
  if held.state = 'unknown' and keepfact.count_unresolved(run) = 0 then
    update keepfact.runs r set state = held.sealed_for, sealed_for = null where r.run = reconcile.run;
    perform keepfact.append(
      run, 'ended', 'reconcile', null, null, jsonb_build_object('end', held.sealed_for)
    );
  end if;
  return keepfact.done('reconcile', command_id, asked);
end
$$;

-- Why evidence may not be taken: the call must be unresolved, not in flight, not sent once more since, and not
-- contradict its own answer.
create function keepfact.guard_evidence(
  held keepfact.runs, known keepfact.calls, evidence text, sends integer
) returns text
language sql immutable
as $$
  select case
    when held.run is null then 'no_such_run'
    when known.call is null then 'no_such_call'
    when known.state = 'open' then 'call_open'
    when not known.unresolved then 'already_resolved'
    when sends <> known.sends then 'stale_evidence'
    when known.state = 'confirmed' and evidence = 'not_found' then 'contradicted'
  end
$$;

-- Writes the evidence down: an amount becomes known, a definite not_found ends the hold at zero, anything else holds
-- on.
create function keepfact.take_evidence(run text, call text, evidence text, cost_cents bigint) returns void
language plpgsql
as $$
begin
  if evidence = 'confirmed' then
    update keepfact.calls c set
      state = 'confirmed',
      cost_cents = take_evidence.cost_cents,
      over_ceiling = coalesce(take_evidence.cost_cents > c.ceiling_cents, false)
    where c.run = take_evidence.run and c.call = take_evidence.call;
  elsif evidence = 'not_found' then
    update keepfact.calls c set state = 'not_found' where c.run = take_evidence.run and c.call = take_evidence.call;
  end if;
  perform keepfact.append(run, 'reconciled', 'reconcile', null, call, jsonb_build_object(
    'call', call, 'evidence', evidence, 'cost_cents', cost_cents
  ));
end
$$;

-- The runs with a call that somebody can be asked about, oldest first, at most so many after a number. A reading.
create function keepfact.unresolved_runs(after bigint, runs_max integer, out run text, out admitted bigint)
returns setof record
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  askable text[];
begin
  perform keepfact.enter();
  askable := array(  -- first, by their index: there are few of them among many runs
    select distinct c.run from keepfact.calls c
    where c.tenant = keepfact.tenant() and c.unresolved and c.state <> 'open' and c.kind = 'operation'
  );
  return query
    select r.run, r.admitted from keepfact.runs r
    where r.run = any(askable) and r.admitted > after
    order by r.admitted limit greatest(runs_max, 0);
end
$$;
