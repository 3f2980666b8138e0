-- The history: appended to, never changed.

-- A digest as it is stored: SHA-256 over the UTF-8 text, in hex. Stable, as convert_to is: so it is inlined.
create function keepfact.digest(content text) returns text
language sql stable
as $$
  select encode(sha256(convert_to(content, 'UTF8')), 'hex')
$$;

-- Appends the next event of a run. The caller holds the run's row lock, so numbers have no gap and follow the commits.
create function keepfact.append(
  run text, type text, entry_point text, fence bigint, concerns text, facts jsonb
) returns void
language plpgsql
as $$
declare
  payload constant jsonb := facts || jsonb_build_object('at', keepfact.store_now());
  payload_digest constant text := keepfact.digest(payload::text);
  principal constant text := current_setting('keepfact.principal');
  number bigint;
  previous_digest text;
begin
  -- milestone: appending
  select e.number + 1, e.digest into number, previous_digest
    from keepfact.events e where e.run = append.run order by e.number desc limit 1;
  number := coalesce(number, 1);
  insert into keepfact.events (
    run, number, type, entry_point, principal, fence, concerns, payload, payload_digest, previous_digest, digest
  ) values (
    run, number, type, entry_point, principal, fence, concerns, payload, payload_digest, previous_digest,
    keepfact.digest(array_to_string(
      array[number::text, type, entry_point, principal, fence::text, concerns, payload_digest, previous_digest],
      e'\n', ''
    ))
  );
end
$$;

-- The number of a run's last event; asked for in this form, since a maximum may be looked for among all of them.
create function keepfact.last_number(run text) returns bigint
language sql stable
as $$
  select coalesce((
    select e.number from keepfact.events e where e.run = last_number.run order by e.number desc limit 1
  ), 0)
$$;

-- Says no to whoever would change or remove what must stay.
create function keepfact.refuse_change() returns trigger
language plpgsql
as $$
begin
  raise exception '% are never %', tg_table_name, tg_argv[0] using errcode = 'insufficient_privilege';
end
$$;

create trigger events_stay before update or delete or truncate on keepfact.events
  for each statement execute function keepfact.refuse_change('changed or removed');

-- What is stored of a run names a run that is stored: the functions write it under the row's lock, and no row goes
-- away. So the tables that grow with every step need not look for it once more.
create trigger runs_stay before delete or truncate on keepfact.runs
  for each statement execute function keepfact.refuse_change('removed');
