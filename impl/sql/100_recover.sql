-- Entry point recover: brings runs whose lease lapsed to an honest end, and dispatches nothing.

-- Settles one run. Whether its lease lapsed is decided here, at the write, whatever a sweep saw before.
create function keepfact.recover(command_id text, run text) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('recover', run);
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
    when held.state = 'queued' then 'not_running'
    when keepfact.lease_left_seconds(held.lease_until) > 0 then 'lease_live'
  end);
  if answer is not null then
    return answer;
  end if;
  perform keepfact.lose_open_calls(run, 'recover', held.fence);
  perform keepfact.seal(run, 'interrupted', 'recover', held.fence);
  return keepfact.done('recover', command_id, asked);
end
$$;

-- The runs whose lease has lapsed, the longest lapsed first. A reading: it may be out of date when it is used.
create function keepfact.lapsed_runs() returns setof text
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$
  select r.run from keepfact.runs r
  where r.state = 'running' and r.lease_until <= keepfact.store_now() order by r.lease_until
$$;
