-- Entry point purge, continued: what there is to forget.

-- The texts that are kept by their digest, of which no run's history has grown for that long, the oldest first; with
-- the runs that need them still. A reading: it may be out of date when it is used.
create function keepfact.kept_payloads(
  untouched_seconds bigint, out digest text, out characters integer, out idle_seconds bigint, out needed_by text[]
) returns setof record
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform keepfact.enter();
  return query
    select p.digest, length(p.content), t.idle_seconds, keepfact.needing(p.digest)
    from keepfact.payloads p cross join lateral (
      select coalesce(floor(extract(epoch from
        keepfact.store_now() - max(keepfact.last_written(named.run))
      )), 0)::bigint as idle_seconds
      from keepfact.naming(p.digest) as named (run)
    ) as t
    where p.tenant = keepfact.tenant() and t.idle_seconds >= untouched_seconds
    order by t.idle_seconds desc, p.stored;
end
$$;

-- The runs that name a text.
create function keepfact.naming(payload text) returns setof text
language sql stable
as $$
  select p.run from keepfact.publications p where p.tenant = keepfact.tenant() and p.body_payload = payload
  union select c.run from keepfact.calls c where c.tenant = keepfact.tenant() and c.answer_payload = payload
  union select m.run from keepfact.materials m where m.tenant = keepfact.tenant() and m.digest = payload
$$;

-- When a run's history has last grown.
create function keepfact.last_written(run text) returns timestamptz
language sql stable
as $$
  select (e.payload ->> 'at')::timestamptz
  from keepfact.events e where e.run = last_written.run order by e.number desc limit 1
$$;
