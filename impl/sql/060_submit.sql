-- Entry point submit: admits new runs and touches no other.

-- Admits a run under the contract settle, the only one kept here, with a budget.
create function keepfact.submit(command_id text, run text, contract text, budget_cents bigint) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('submit', run, contract, budget_cents);
  answer jsonb;
begin
  if budget_cents < 0 or contract is distinct from 'settle' or not keepfact.is_id(run) then
    return keepfact.refused('malformed');
  end if;
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  insert into keepfact.runs (run, contract, budget_cents, state) values (run, contract, budget_cents, 'queued')
    on conflict do nothing;
  if not found then
    return keepfact.refused('run_exists');
  end if;
  perform keepfact.append(
    run, 'admitted', 'submit', null, null,
    jsonb_build_object('contract', contract, 'budget_cents', budget_cents)
  );
  return keepfact.done('submit', command_id, asked);
end
$$;
