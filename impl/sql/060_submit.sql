-- Entry points submit and continue: admit new runs and touch no other.

-- Admits a run, pinned to its contract and to resolved versions, with a budget and whatever its program is to work on.
-- Lock order: the command's id, the bundle.
create function keepfact.submit(
  command_id text, run text, contract text, budget_cents bigint, bundle text, request text, input text
) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('submit', run, contract, budget_cents, bundle, request, input);
  answer jsonb;
begin
  if keepfact.is_malformed_admission(run, contract, budget_cents, request) or not keepfact.is_id(bundle) then
    return keepfact.refused('malformed');
  end if;
  answer := coalesce(
    keepfact.first_answer(command_id, asked),
    keepfact.refused(keepfact.guard_admission(run, request))
  );
  if answer is not null then
    return answer;
  end if;
  answer := keepfact.refused(keepfact.admit(jsonb_populate_record(null::keepfact.runs, jsonb_build_object(
    'run', run, 'contract', contract, 'budget_cents', budget_cents, 'bundle', bundle, 'request', request
  ))));
  if answer is not null then
    return answer;
  end if;
  perform keepfact.tell_admitted(run, 'submit', input);
  return keepfact.done('submit', command_id, asked);
end
$$;

-- Admits a run that may read what a sealed one left, as far as its user may. The source gains nothing, and nothing that
-- could be executed comes along. Lock order: the command's id, the bundle.
create function keepfact.continue(
  command_id text, run text, source text, user_ text, contract text, budget_cents bigint, request text, input text
) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array(
    'continue', run, source, user_, contract, budget_cents, request, input
  );
  from_run keepfact.runs;
  answer jsonb;
begin
  if keepfact.is_malformed_admission(run, contract, budget_cents, request) or not keepfact.is_name(user_) then
    return keepfact.refused('malformed');
  end if;
  answer := coalesce(
    keepfact.first_answer(command_id, asked),
    keepfact.refused(keepfact.guard_admission(run, request))
  );
  if answer is not null then
    return answer;
  end if;
  select * into from_run from keepfact.runs r where r.run = source;
  answer := keepfact.refused(case
    when from_run.run is null then 'no_such_run'
    when not keepfact.is_sealed(from_run) then 'not_ended'
    else keepfact.admit(jsonb_populate_record(null::keepfact.runs, jsonb_build_object(
      'run', run, 'contract', contract, 'budget_cents', budget_cents, 'bundle', 'latest', 'request', request,
      'continues', source, 'reader', user_, 'open_calls', keepfact.unresolved_calls(source)
    )))
  end);
  if answer is not null then
    return answer;
  end if;
  perform keepfact.hand_over(source, run, user_);
  perform keepfact.tell_admitted(run, 'continue', input);
  return keepfact.done('continue', command_id, asked);
end
$$;

-- What no admission may say.
create function keepfact.is_malformed_admission(run text, contract text, budget_cents bigint, request text)
returns boolean
language sql immutable
as $$
  select coalesce(budget_cents < 0 or contract not in ('settle', 'resume'), true)
    or not keepfact.is_id(run) or not keepfact.is_id(coalesce(request, 'none'))
$$;

-- Why a new run may not be admitted: its id is taken, or its request was admitted before.
create function keepfact.guard_admission(run text, request text) returns text
language sql stable
as $$
  select case
    when exists (select from keepfact.runs r where r.run = guard_admission.run) then 'run_exists'
    when exists (
      select from keepfact.runs r where r.tenant = keepfact.tenant() and r.request = guard_admission.request
    ) then 'request_taken'
  end
$$;

-- Puts a new run into the queue; or gives the reason why not. Only what was told of the run is taken over: how a run
-- begins is the same for all.
create function keepfact.admit(wanted keepfact.runs) returns text
language plpgsql
as $$
declare
  resolved constant text := keepfact.resolve_bundle(wanted.bundle);
begin
  if resolved is null then
    return 'no_such_bundle';
  end if;
  insert into keepfact.runs (
    run, contract, budget_cents, bundle, request, continues, reader, open_calls
  ) values (
    wanted.run, wanted.contract, wanted.budget_cents, resolved, wanted.request, wanted.continues, wanted.reader,
    coalesce(wanted.open_calls, '{}')
  ) on conflict do nothing;
  if not found then
    -- Admitted in this moment by somebody else, or another tenant's: to us that one does not exist.
    return coalesce(keepfact.guard_admission(wanted.run, wanted.request), 'no_such_run');
  end if;
  return null;
end
$$;

-- The first event of a history: what the run was admitted with, and what it was handed.
create function keepfact.tell_admitted(run text, entry_point text, input text default null) returns void
language plpgsql
as $$
declare
  admitted keepfact.runs;
begin
  select * into admitted from keepfact.runs r where r.run = tell_admitted.run;
  perform keepfact.append(run, 'admitted', entry_point, null, null, jsonb_strip_nulls(jsonb_build_object(
    'contract', admitted.contract, 'budget_cents', admitted.budget_cents, 'bundle', admitted.bundle,
    'request', admitted.request, 'input', input, 'parent', admitted.parent, 'continues', admitted.continues,
    'reader', admitted.reader, 'open_calls', admitted.open_calls, 'inherited', keepfact.show_inherited(run)
  )));
end
$$;

-- The bundle that a name stands for now, locked against being retired meanwhile; null if none is served under it.
create function keepfact.resolve_bundle(wanted text) returns text
language plpgsql
as $$
declare
  resolved text;
begin
  select b.bundle into resolved from keepfact.bundles b
    where b.tenant = keepfact.tenant() and not b.is_retired and wanted in (b.bundle, 'latest')
    order by b.deployed desc limit 1 for share;
  return resolved;
end
$$;

-- The calls of which somebody must still find out what became of them.
create function keepfact.unresolved_calls(run text) returns text[]
language sql stable
as $$
  select coalesce(array_agg(c.call order by c.intent), '{}')
  from keepfact.calls c where c.run = unresolved_calls.run and c.unresolved
$$;
