-- Entry point observe: reads, and writes nothing at all.

-- Shows the runs of these ids, in this order, each with its ledger, calls, publications and history, from one snapshot.
-- Ids that were never admitted are left out. Payloads of events are shown when asked for.
create function keepfact.observe(runs text[], payloads boolean default false) returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform keepfact.enter();
  return (
    select coalesce(json_agg(keepfact.show_run(r, payloads) order by asked.place), '[]')
    from unnest(runs) with ordinality as asked (run, place) join keepfact.runs r on r.run = asked.run
  );
end
$$;

-- The same, beside what is kept beyond one run: bundles, versions, grants, large texts.
create function keepfact.survey(runs text[]) returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform keepfact.enter();
  return (
    select json_build_object(
      'runs', keepfact.observe(runs),
      'bundles', (select json_agg(json_build_object(
        'bundle', b.bundle, 'markers', b.markers, 'is_retired', b.is_retired) order by b.deployed
      ) from keepfact.bundles b where b.tenant = keepfact.tenant()),
      'served', json_build_array(s.schema_oldest, s.schema_newest),
      'in_force', (select json_build_object(
        'resource', f.resource, 'plan', f.plan, 'policy', f.policy, 'permitted', f.permitted
      ) from keepfact.in_force f where f.tenant = keepfact.tenant()),
      'readers', (select coalesce(json_agg(json_build_object(
        'source', r.source, 'user', r.reader) order by r.place
      ), '[]') from keepfact.readers r where r.tenant = keepfact.tenant()),
      'payloads', (select coalesce(json_agg(json_build_object(
        'digest', p.digest, 'version', p.version, 'characters', length(p.content)) order by p.stored
      ), '[]') from keepfact.payloads p where p.tenant = keepfact.tenant())
    ) from keepfact.settings s
  );
end
$$;

-- The events of a run after a number, with their payloads, at most so many; and whether any can still come. Null if
-- there is no such run.
create function keepfact.read_events(run text, after bigint, events_max integer) returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform keepfact.enter();
  return coalesce((
    select json_build_object(
      'events', (
        select coalesce(json_agg(keepfact.show_event(e, true) order by e.number), '[]') from (
          select * from keepfact.events e where e.run = r.run and e.number > after
          order by e.number limit greatest(events_max, 0)
        ) as e
      ),
      'last', keepfact.last_number(r.run),
      'is_over', keepfact.is_ended(r)
    ) from keepfact.runs r where r.run = read_events.run
  ), 'null');
end
$$;

-- The last number of each of these runs, and whether any event can still come: for many readers with one look.
create function keepfact.read_heads(runs text[]) returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform keepfact.enter();
  return (
    select coalesce(json_object_agg(
      r.run, json_build_object('last', keepfact.last_number(r.run), 'is_over', keepfact.is_ended(r))
    ), '{}') from keepfact.runs r where r.run = any(runs)
  );
end
$$;

-- The runs that were admitted after one of them, or from the first on, in this order, at most so many.
create function keepfact.list_runs(after text, runs_max integer) returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform keepfact.enter();
  return (
    select coalesce(json_agg(json_build_object(
      'admitted', r.admitted, 'run', r.run, 'contract', r.contract, 'state', r.state, 'bundle', r.bundle
    ) order by r.admitted), '[]')
    from (
      select * from keepfact.runs r
      where r.tenant = keepfact.tenant()
        and r.admitted > coalesce((select b.admitted from keepfact.runs b where b.run = after), 0)
      order by r.admitted limit greatest(runs_max, 0)
    ) as r
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
      'known_cents', shown.known_cents,
      'held_cents', shown.held_cents,
      'unresolved', shown.unresolved,
      'worker', shown.worker,
      'lease_left_seconds', keepfact.seconds_left(shown.lease_until),
      'sealed_for', shown.sealed_for,
      'delivered', keepfact.show_delivered(shown),
      'calls', keepfact.show_calls(shown.run),
      'publications', keepfact.show_publications(shown.run),
      'history', keepfact.show_history(shown.run, payloads),
      'tenant', shown.tenant,
      'bundle', shown.bundle,
      'request', shown.request,
      'parent', shown.parent,
      'children', keepfact.show_children(shown.run),
      'waits', keepfact.show_waits(shown.run),
      'arrivals', keepfact.show_arrivals(shown.run),
      'markers', keepfact.show_markers(shown.run),
      'materials', keepfact.show_materials(shown.run),
      'continues', shown.continues,
      'inherited', keepfact.show_inherited(shown.run),
      'open_calls', shown.open_calls,
      'deaths', shown.deaths,
      'assessment', shown.assessment,
      'error', shown.error
    )
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
      'answer', keepfact.full_text(c.answer, c.answer_payload),
      'cost_cents', c.cost_cents,
      'supersedes', c.supersedes,
      'over_ceiling', c.over_ceiling,
      'compensates', c.compensates,
      'undo', c.undo,
      'recognises', c.recognises,
      'sends', c.sends,
      'sends_max', c.sends_max,
      'told_to_stop', c.told_to_stop
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
      'version', p.version, 'body', keepfact.full_text(p.body, p.body_payload), 'qualified', p.qualified
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
    select coalesce(json_agg(keepfact.show_event(e, payloads) order by e.number), '[]')
    from keepfact.events e where e.run = show_history.run
  );
end
$$;

-- One event. In its payload a large text, kept once by its digest, stands in its place again.
create function keepfact.show_event(e keepfact.events, payloads boolean) returns json
language sql stable
as $$
  select json_build_object(
    'number', e.number,
    'type', e.type,
    'entry_point', e.entry_point,
    'principal', e.principal,
    'fence', e.fence,
    'concerns', e.concerns,
    'payload_digest', e.payload_digest,
    'digest', e.digest,
    'previous_digest', e.previous_digest,
    'payload', case when payloads then e.payload
      || keepfact.text_of(e.payload, 'answer') || keepfact.text_of(e.payload, 'body')
      || keepfact.text_of(e.payload, 'content')
    end
  )
$$;

-- The text that a payload names by its digest, under its own name; nothing if it names none.
create function keepfact.text_of(payload jsonb, name text) returns jsonb
language sql stable
as $$
  select case
    when payload ->> (name || '_payload') is null then '{}'
    else jsonb_build_object(name, keepfact.full_text(null, payload ->> (name || '_payload')))
  end
$$;
