-- Entry point work, children and branches.

-- Starts one child for one spawn id: a run of its own, under its parent's contract and bundle, with a budget of its
-- own. Lock order: the command's id, the parent.
create function keepfact.spawn(
  command_id text, run text, fence bigint, spawn text, child text, budget_cents bigint, input text
) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('spawn', run, fence, spawn, child, budget_cents, input);
  held keepfact.runs;
  first text;
  answer jsonb;
begin
  if coalesce(budget_cents < 0, true) or not keepfact.is_name(spawn) or not keepfact.is_id(child) then
    return keepfact.refused('malformed');
  end if;
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  held := keepfact.lock_run(run);
  answer := keepfact.refused(keepfact.guard_work(held, fence));
  if answer is not null then
    return answer;
  end if;
  select c.child into first from keepfact.children c where c.run = spawn.run and c.spawn = spawn.spawn;
  if first = child then
    return keepfact.done('work', command_id, asked);
  end if;
  answer := keepfact.refused(case
    when first is not null then 'spawn_conflict'
    when keepfact.guard_admission(child, null) is not null then 'run_exists'
    when keepfact.has_unknown_operation(held) then 'unresolved'
    when keepfact.bear(held, child, budget_cents, input) is not null then 'run_exists'
  end);
  if answer is not null then
    return answer;
  end if;
  insert into keepfact.children (run, spawn, child) values (run, spawn, child);
  perform keepfact.progress(held);
  perform keepfact.append(run, 'spawned', 'work', fence, child, jsonb_build_object(
    'spawn', spawn, 'child', child, 'budget_cents', budget_cents
  ));
  return keepfact.done('work', command_id, asked);
end
$$;

-- Admits the child; its bundle is served or not, since its parent needs it. Null, or the reason why not.
create function keepfact.bear(parent keepfact.runs, child text, budget_cents bigint, input text) returns text
language plpgsql
as $$
begin
  insert into keepfact.runs (run, contract, budget_cents, bundle, parent)
    values (child, parent.contract, budget_cents, parent.bundle, parent.run) on conflict do nothing;
  if not found then
    return 'run_exists';
  end if;
  perform keepfact.tell_admitted(child, 'work', input);
  return null;
end
$$;

-- Records which branch of a changed program this run takes: the new one exactly if its own bundle knows of the change.
create function keepfact.mark(command_id text, run text, fence bigint, marker text, branch text) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('mark', run, fence, marker, branch);
  held keepfact.runs;
  knows boolean;
  answer jsonb;
begin
  if not keepfact.is_name(marker) then
    return keepfact.refused('malformed');
  end if;
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  held := keepfact.lock_run(run);
  answer := keepfact.refused(keepfact.guard_work(held, fence));
  if answer is not null then
    return answer;
  end if;
  select marker = any(b.markers) into knows from keepfact.bundles b
    where b.tenant = keepfact.tenant() and b.bundle = held.bundle;
  if branch is distinct from (case when knows then 'new' else 'old' end) then
    return keepfact.refused('wrong_branch');
  end if;
  insert into keepfact.markers (run, marker, branch) values (run, marker, branch) on conflict do nothing;
  if found then
    perform keepfact.progress(held);
    perform keepfact.append(
      run, 'marked', 'work', fence, marker, jsonb_build_object('marker', marker, 'branch', branch)
    );
  end if;
  return keepfact.done('work', command_id, asked);
end
$$;
