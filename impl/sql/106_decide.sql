-- Entry point decide: a person answers, and says afterwards whether a result is good.

-- Records the decision and accepts the wake, in one commit. The same decision again is a read, another is refused.
create function keepfact.decide(command_id text, run text, wait text, approved boolean, digest text) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('decide', run, wait, approved, digest);
  held keepfact.runs;
  known keepfact.waits;
  request keepfact.approvals;
  answer jsonb;
begin
  if approved is null then
    return keepfact.refused('malformed');
  end if;
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  held := keepfact.lock_run(run);
  known := keepfact.find_wait(run, wait);
  select * into request from keepfact.approvals a where a.run = decide.run and a.wait = decide.wait;
  if (request.approved, known.digest) = (approved, digest) then
    return keepfact.done('decide', command_id, asked);
  end if;
  answer := keepfact.refused(case
    when held.run is null then 'no_such_run'
    when request.wait is null then 'no_such_wait'
    when request.approved is not null then 'already_decided'
    when known.state = 'closed' then 'wait_closed'
    when keepfact.is_sealed(held) then 'sealed'
    when keepfact.is_expired(known) then 'expired'
    when digest is distinct from known.digest then 'shown_differs'
    when approved and not keepfact.is_permitted() then 'not_permitted'
  end);
  if answer is not null then
    return answer;
  end if;
  update keepfact.approvals a set approved = decide.approved where a.run = decide.run and a.wait = decide.wait;
  update keepfact.waits w set state = 'accepted' where w.run = decide.run and w.wait = decide.wait;
  perform keepfact.append(run, 'decided', 'decide', null, wait, jsonb_build_object(
    'wait', wait, 'approved', approved, 'digest', digest
  ));
  return keepfact.done('decide', command_id, asked);
end
$$;

-- Approving is permitted now, and to the end of the transaction.
create function keepfact.is_permitted() returns boolean
language plpgsql
as $$
declare
  permitted boolean;
begin
  select f.permitted into permitted from keepfact.in_force f where f.tenant = keepfact.tenant() for share;
  return permitted;
end
$$;

-- Records whether the result of an ended run is good: a fact of its own, beside how the run ended.
create function keepfact.assess(command_id text, run text, good boolean) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('assess', run, good);
  held keepfact.runs;
  answer jsonb;
begin
  if good is null then
    return keepfact.refused('malformed');
  end if;
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  held := keepfact.lock_run(run);
  answer := keepfact.refused(case
    when held.run is null then 'no_such_run'
    when not keepfact.is_ended(held) then 'not_ended'
  end);
  if answer is not null then
    return answer;
  end if;
  update keepfact.runs r set assessment = good where r.run = assess.run;
  perform keepfact.append(run, 'assessed', 'decide', null, null, jsonb_build_object('good', good));
  return keepfact.done('decide', command_id, asked);
end
$$;
