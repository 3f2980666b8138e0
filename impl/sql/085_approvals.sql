-- Entry point work, approvals: what a person is asked, and whether their answer still counts when it is used.

-- Seals a checkpoint and waits for a person to approve one operation. What is in force is taken down with what is
-- shown, and a request that follows an earlier one says what has changed.
create function keepfact.request_approval(
  command_id text, run text, fence bigint, wait text, call text, digest text, risk text, basis text, seconds bigint
) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array(
    'request_approval', run, fence, wait, call, digest, risk, basis, seconds
  );
  held keepfact.runs;
  earlier keepfact.approvals;
  answer jsonb;
begin
  if not keepfact.is_duration(seconds) or not keepfact.is_name(wait) or not keepfact.is_id(call)
    or not keepfact.is_name(digest) or not keepfact.is_storable(risk) or not keepfact.is_storable(basis)
  then
    return keepfact.refused('malformed');
  end if;
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  held := keepfact.lock_run(run);
  earlier := keepfact.latest_request(run, call);
  answer := keepfact.refused(coalesce(
    keepfact.guard_work(held, fence),
    case when (keepfact.find_call(run, call)).call is not null then 'call_id_conflict' end,
    keepfact.guard_wait(held, wait),
    case
      when not earlier.approved then 'denied'
      when earlier.approved and earlier.used_by is null and keepfact.guard_in_force(earlier) is null
        then 'already_approved'
    end
  ));
  if answer is not null then
    return answer;
  end if;
  perform keepfact.seal_checkpoint(held, wait, 'approval', digest, seconds);
  insert into keepfact.approvals (run, wait, call, risk, basis, resource, plan, policy, permitted, differs)
    select held.run, request_approval.wait, request_approval.call, request_approval.risk, request_approval.basis,
      f.resource, f.plan, f.policy, f.permitted, keepfact.differences(earlier, digest, risk, basis, f)
    from keepfact.in_force f where f.tenant = keepfact.tenant();
  perform keepfact.stand_at(held, wait, 'waiting_approval', jsonb_build_object(
    'kind', 'approval', 'digest', digest, 'seconds', seconds, 'shown', keepfact.show_shown(held.run, wait)
  ));
  return keepfact.done('work', command_id, asked);
end
$$;

-- The last request for approval of one operation; all null, if there is none.
create function keepfact.latest_request(run text, call text) returns keepfact.approvals
language plpgsql stable
as $$
declare
  latest keepfact.approvals;
begin
  select a.* into latest from keepfact.approvals a join keepfact.waits w using (run, wait)
    where a.run = latest_request.run and a.call = latest_request.call order by w.place desc limit 1;
  return latest;
end
$$;

-- Why an operation may not be dispatched, by what was approved; null if it may, or if nobody need approve it.
create function keepfact.guard_approved(run text, call text, digest text, approval text) returns text
language plpgsql
as $$
declare
  request constant keepfact.approvals := keepfact.latest_request(run, call);
begin
  if request.wait is null then
    return case when approval is not null then 'not_approved' end;
  end if;
  return case
    when not request.approved then 'denied'
    when request.approved is null or approval is distinct from request.wait then 'not_approved'
    when request.used_by is not null then 'approval_used'
    else coalesce(
      keepfact.guard_in_force(request),
      case when digest is distinct from keepfact.shown_digest(request) then 'drifted' end
    )
  end;
end
$$;

-- The same for an operation that is sent once more, under the approval that it was sent with.
create function keepfact.guard_approved_again(run text, call text) returns text
language plpgsql
as $$
declare
  request constant keepfact.approvals := keepfact.latest_request(run, call);
begin
  return case
    when request.wait is null then null
    when not request.approved then 'denied'
    when request.approved is null then 'not_approved'
    else keepfact.guard_in_force(request)
  end;
end
$$;

-- Why an approval does not count any more: its time is over, or what it is bound to has changed. What is in force stays
-- so to the end of the transaction.
create function keepfact.guard_in_force(request keepfact.approvals) returns text
language plpgsql
as $$
declare
  now_in_force keepfact.in_force;
  until timestamptz;
begin
  select * into now_in_force from keepfact.in_force f where f.tenant = keepfact.tenant() for share;
  select w.until into until from keepfact.waits w where w.run = request.run and w.wait = request.wait;
  return case
    when keepfact.seconds_left(until) = 0 then 'expired'
    when not now_in_force.permitted then 'not_permitted'
    when (now_in_force.resource, now_in_force.plan, now_in_force.policy, now_in_force.permitted)
      <> (request.resource, request.plan, request.policy, request.permitted) then 'drifted'
  end;
end
$$;

-- The digest of the arguments that were shown.
create function keepfact.shown_digest(request keepfact.approvals) returns text
language sql stable
as $$
  select w.digest from keepfact.waits w where w.run = request.run and w.wait = request.wait
$$;

-- The names of everything that is not what it was in an earlier request.
create function keepfact.differences(
  earlier keepfact.approvals, digest text, risk text, basis text, now_in_force keepfact.in_force
) returns text[]
language sql stable
as $$
  select case when earlier.wait is null then '{}' else array_remove(array[
    case when keepfact.shown_digest(earlier) <> digest then 'digest' end,
    case when earlier.risk <> risk then 'risk' end,
    case when earlier.basis <> basis then 'basis' end,
    case when earlier.resource <> now_in_force.resource then 'resource' end,
    case when earlier.plan <> now_in_force.plan then 'plan' end,
    case when earlier.policy <> now_in_force.policy then 'policy' end,
    case when earlier.permitted <> now_in_force.permitted then 'permitted' end
  ], null) end
$$;
