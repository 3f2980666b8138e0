-- Entry point deploy: which bundles workers support, and which versions of the tables they may be written for.

-- Lets workers take runs of a bundle, after it was replayed against stored histories and none of them diverged.
create function keepfact.deploy(
  command_id text, bundle text, replayed integer, diverged integer, markers text[]
) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('deploy', bundle, replayed, diverged, markers);
  answer jsonb;
begin
  if coalesce(replayed < 0 or diverged < 0, true) or bundle = 'latest' or not keepfact.is_id(bundle)
    or not keepfact.is_list(markers)
  then
    return keepfact.refused('malformed');
  end if;
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  answer := keepfact.refused(case
    when exists (
      select from keepfact.bundles b where b.tenant = keepfact.tenant() and b.bundle = deploy.bundle
    ) then 'bundle_exists'
    when diverged > 0 then 'diverged'
    when replayed = 0 then 'not_replayed'
  end);
  if answer is not null then
    return answer;
  end if;
  insert into keepfact.bundles (bundle, markers) values (bundle, markers) on conflict do nothing;
  if not found then
    return keepfact.refused('bundle_exists');  -- deployed in this moment by somebody else
  end if;
  return keepfact.done('deploy', command_id, asked);
end
$$;

-- Withdraws a bundle that no run needs any more; refused, it lists the runs that do.
-- Lock order: the command's id, the bundle: whoever is admitting a run to it is waited for.
create function keepfact.retire(command_id text, bundle text) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('retire', bundle);
  needing text[];
  answer jsonb;
begin
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  perform from keepfact.bundles b where b.tenant = keepfact.tenant() and b.bundle = retire.bundle for no key update;
  if not found then
    return keepfact.refused('no_such_bundle');
  end if;
  select coalesce(array_agg(r.run order by r.admitted), '{}') into needing from keepfact.runs r
    where r.tenant = keepfact.tenant() and r.bundle = retire.bundle and not keepfact.is_ended(r);
  if needing <> '{}' then
    return keepfact.refused('bundle_needed', needing);
  end if;
  update keepfact.bundles b set is_retired = true where b.tenant = keepfact.tenant() and b.bundle = retire.bundle;
  return keepfact.done('deploy', command_id, asked);
end
$$;

-- Begins to migrate the tables to the next version: from its commit on both versions' workers are served.
create function keepfact.migrate(command_id text) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('migrate');
  answer jsonb;
begin
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  perform keepfact.take_migration();
  update keepfact.settings s set schema_newest = s.schema_newest + 1 where s.schema_oldest = s.schema_newest;
  if not found then
    return keepfact.refused('migrating');
  end if;
  return keepfact.done('deploy', command_id, asked);
end
$$;

-- Serves only the next version's workers from now on; refused while one of the old version holds a lease, whoever's run
-- it is. To the caller only runs of its own tenant are named.
create function keepfact.end_migration(command_id text) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('end_migration');
  answer jsonb;
begin
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  perform keepfact.take_migration();
  if (select s.schema_oldest = s.schema_newest from keepfact.settings s) then
    return keepfact.refused('not_migrating');
  end if;
  if keepfact.is_old_worker_live() then
    return keepfact.refused('old_worker_live', keepfact.held_by_old_workers());
  end if;
  update keepfact.settings s set schema_oldest = s.schema_newest;
  return keepfact.done('deploy', command_id, asked);
end
$$;

-- Whether any tenant's run is held by a worker that is written for the old tables.
create function keepfact.is_old_worker_live() returns boolean
language plpgsql
as $$
declare
  own constant text := keepfact.tenant();
  other text;
  is_live boolean := false;
begin
  for other in select t.tenant from keepfact.tenants t loop
    perform set_config('keepfact.tenant', other, true);
    is_live := is_live or keepfact.held_by_old_workers() <> '{}';
  end loop;
  perform set_config('keepfact.tenant', own, true);
  return is_live;
end
$$;

-- The runs of the tenant whose live lease is held by a worker that is written for the old tables.
create function keepfact.held_by_old_workers() returns text[]
language sql volatile
as $$
  select coalesce(array_agg(r.run order by r.admitted), '{}')
  from keepfact.runs r, keepfact.settings s
  where r.tenant = keepfact.tenant() and r.lease_until > keepfact.store_now() and r.worker_schema = s.schema_oldest
$$;

-- Workers of that version of the tables are served.
create function keepfact.is_served(version integer) returns boolean
language sql stable
as $$
  select coalesce(version between s.schema_oldest and s.schema_newest, false) from keepfact.settings s
$$;

-- The same of a worker that goes on with a run, and need not say for which version it is written.
create function keepfact.is_served_or_unsaid(version integer) returns boolean
language sql stable
as $$
  select version is null or keepfact.is_served(version)
$$;

-- To the end of the transaction nobody begins or ends a migration; or nobody else claims a run. The lock of a command's
-- id has a space in its name, so that none is this one.
create function keepfact.hold_migration() returns void
language sql volatile
as $$
  select pg_advisory_xact_lock_shared(hashtextextended('migration', 0))
$$;

create function keepfact.take_migration() returns void
language sql volatile
as $$
  select pg_advisory_xact_lock(hashtextextended('migration', 0))
$$;
