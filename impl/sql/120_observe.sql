-- Entry point observe: reads, and writes nothing at all.

-- Shows the runs of these ids, in this order, each with its ledger, calls, publications and history, from one snapshot.
-- Ids that were never admitted are left out. Payloads of events are shown when asked for.
create function keepfact.observe(runs text[], payloads boolean default false) returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select coalesce(json_agg(keepfact.show_run(r, payloads) order by asked.place), '[]')
    from unnest(runs) with ordinality as asked (run, place) join keepfact.runs r on r.run = asked.run
  );
end
$$;

-- One run in full.
create function keepfact.show_run(shown keepfact.runs, payloads boolean) returns json
language plpgsql stable
as $$
begin
  return (
    select json_build_object(
      'run', shown.run,
      'contract', shown.contract,
      'state', shown.state,
      'fence', shown.fence,
      'budget_cents', shown.budget_cents,
      'known_cents', l.known_cents,
      'held_cents', l.held_cents,
      'unresolved', l.unresolved,
      'worker', shown.worker,
      'lease_left_seconds', keepfact.lease_left_seconds(shown.lease_until),
      'sealed_for', shown.sealed_for,
      'delivered', keepfact.show_delivered(shown),
      'calls', keepfact.show_calls(shown.run),
      'publications', keepfact.show_publications(shown.run),
      'history', keepfact.show_history(shown.run, payloads)
    )
    from keepfact.ledger(shown.run) l
  );
end
$$;

-- What a sealed run hands to its user: its last qualified version, marked partial unless the run succeeded.
create function keepfact.show_delivered(shown keepfact.runs) returns json
language plpgsql stable
as $$
begin
  return (
    select json_build_object('version', p.version, 'partial', shown.state <> 'succeeded')
    from keepfact.publications p
    where p.run = shown.run and p.qualified and keepfact.is_sealed(shown)
    order by p.version desc limit 1
  );
end
$$;

-- The calls of a run, in order of intent.
create function keepfact.show_calls(run text) returns json
language plpgsql stable
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'call', c.call,
      'kind', c.kind,
      'digest', c.digest,
      'ceiling_cents', c.ceiling_cents,
      'fence', c.fence,
      'state', c.state,
      'answer', c.answer,
      'cost_cents', c.cost_cents,
      'supersedes', c.supersedes,
      'over_ceiling', c.over_ceiling
    ) order by c.intent), '[]')
    from keepfact.calls c where c.run = show_calls.run
  );
end
$$;

-- The versions of the body, the first one first.
create function keepfact.show_publications(run text) returns json
language plpgsql stable
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'version', p.version, 'body', p.body, 'qualified', p.qualified
    ) order by p.version), '[]')
    from keepfact.publications p where p.run = show_publications.run
  );
end
$$;

-- The events of a run, in order, with their payloads when asked for.
create function keepfact.show_history(run text, payloads boolean) returns json
language plpgsql stable
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'number', e.number,
      'type', e.type,
      'entry_point', e.entry_point,
      'principal', e.principal,
      'fence', e.fence,
      'concerns', e.concerns,
      'payload_digest', e.payload_digest,
      'digest', e.digest,
      'previous_digest', e.previous_digest,
      'payload', case when payloads then e.payload end
    ) order by e.number), '[]')
    from keepfact.events e where e.run = show_history.run
  );
end
$$;
