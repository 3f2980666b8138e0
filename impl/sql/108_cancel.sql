-- Entry point cancel: the request to stop. The end is not written here.

-- Asks a run and all its children that are not over to stop, in one commit: nothing new is dispatched from here on.
-- Lock order: the command's id, the run, its children, theirs.
create function keepfact.cancel(command_id text, run text) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('cancel', run);
  held keepfact.runs;
  answer jsonb;
begin
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  held := keepfact.lock_run(run);
  answer := keepfact.refused(case
    when held.run is null then 'no_such_run'
    when keepfact.is_sealed(held) then 'sealed'
    when held.state = 'cancelling' then 'cancelling'
  end);
  if answer is not null then
    return answer;
  end if;
  perform keepfact.ask_to_stop(held);
  return keepfact.done('cancel', command_id, asked);
end
$$;

-- The run is asked to stop, its calls in flight are told, its waits closed; then its children, in order of birth.
create function keepfact.ask_to_stop(held keepfact.runs) returns void
language plpgsql
as $$
declare
  child text;
  born keepfact.runs;
begin
  update keepfact.runs r set state = 'cancelling' where r.run = held.run;
  update keepfact.calls c set told_to_stop = true where c.run = held.run and c.state = 'open';
  perform keepfact.close_waits(held.run);
  perform keepfact.append(held.run, 'cancel_requested', 'cancel', null, null, '{}');
  for child in select c.child from keepfact.children c where c.run = held.run order by c.place loop
    born := keepfact.lock_run(child);
    if not keepfact.is_sealed(born) and born.state <> 'cancelling' then
      perform keepfact.ask_to_stop(born);
    end if;
  end loop;
end
$$;
