-- Entry point work, the calls: the intent is committed before anything is sent, the answer after.

-- Commits the intent of a call and holds its ceiling. The same intent again is done and changes nothing.
create function keepfact.intend(
  command_id text, run text, fence bigint, call text, kind text, digest text, ceiling_cents bigint, supersedes text,
  approval text, compensates text, undo text, recognises boolean, sends_max integer
) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array(
    'intend', run, fence, call, kind, digest, ceiling_cents, supersedes, approval, compensates, undo, recognises,
    sends_max
  );
  held keepfact.runs;
  known keepfact.calls;
  answer jsonb;
begin
  if num_nulls(kind, ceiling_cents, recognises, sends_max) > 0
    or kind not in ('attempt', 'operation') or ceiling_cents < 0 or sends_max < 1
    or undo not in ('reversible', 'correctable', 'irreversible') or (undo is not null and compensates is null)
    or not keepfact.is_id(call) or not keepfact.is_name(digest)
  then
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
  known := keepfact.find_call(run, call);
  if known.kind = kind and known.digest = digest then
    return keepfact.done('work', command_id, asked);
  end if;
  answer := keepfact.refused(case
    when known.call is not null or keepfact.is_used_elsewhere(call) then 'call_id_conflict'
    when keepfact.has_unknown_operation(held) then 'unresolved'
    when supersedes is not null and not keepfact.may_supersede(run, kind, supersedes) then 'not_supersedable'
    when compensates is not null and not keepfact.may_compensate(run, kind, compensates, undo) then 'not_compensable'
    when not keepfact.is_within_budget(held, ceiling_cents) then 'over_budget'
    else keepfact.guard_approved(run, call, digest, approval)
  end);
  if answer is not null then
    return answer;
  end if;
  insert into keepfact.calls (
    run, call, kind, digest, ceiling_cents, fence, supersedes, compensates, undo, recognises, sends_max
  ) values (
    run, call, kind, digest, ceiling_cents, fence, supersedes, compensates, undo, recognises, sends_max
  ) on conflict do nothing;
  if not found then
    return keepfact.refused('call_id_conflict');  -- another run took the id in this moment
  end if;
  update keepfact.approvals a set used_by = intend.call where a.run = intend.run and a.wait = approval;
  perform keepfact.progress(held);
  perform keepfact.append(run, 'intended', 'work', fence, call, jsonb_strip_nulls(jsonb_build_object(
    'call', call, 'kind', kind, 'digest', digest, 'ceiling_cents', ceiling_cents, 'supersedes', supersedes,
    'approval', approval, 'compensates', compensates, 'undo', undo, 'recognises', recognises, 'sends_max', sends_max
  )));
  return keepfact.done('work', command_id, asked);
end
$$;

-- Commits that a call is sent once more under its id: only where the first request cannot act beside the second, since
-- the tool promised that it was not found, or recognises the id.
create function keepfact.send_again(command_id text, run text, fence bigint, call text) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('send_again', run, fence, call);
  held keepfact.runs;
  known keepfact.calls;
  answer jsonb;
begin
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  held := keepfact.lock_run(run);
  known := keepfact.find_call(run, call);
  answer := keepfact.refused(coalesce(
    keepfact.guard_work(held, fence),
    case
      when known.call is null then 'no_such_call'
      when known.state <> 'not_found' and not (known.state = 'unknown' and known.recognises) then 'not_sendable'
      when known.sends >= known.sends_max then 'sends_spent'
      when known.state = 'not_found' and not keepfact.is_within_budget(held, known.ceiling_cents) then 'over_budget'
      else keepfact.guard_approved_again(run, call)
    end
  ));
  if answer is not null then
    return answer;
  end if;
  update keepfact.calls c set state = 'open', sends = c.sends + 1
    where c.run = send_again.run and c.call = send_again.call;
  perform keepfact.progress(held);
  perform keepfact.append(run, 'sent_again', 'work', fence, call, jsonb_build_object('call', call));
  return keepfact.done('work', command_id, asked);
end
$$;

-- The call of that id; all null, if the run has none.
create function keepfact.find_call(run text, call text) returns keepfact.calls
language plpgsql
as $$
declare
  known keepfact.calls;
begin
  select * into known from keepfact.calls c where c.run = find_call.run and c.call = find_call.call;
  return known;
end
$$;

-- Only a new attempt may ask an earlier one again, and only one that is lost or never arrived.
create function keepfact.may_supersede(run text, kind text, supersedes text) returns boolean
language sql stable
as $$
  select may_supersede.kind = 'attempt' and exists (
    select from keepfact.calls c
    where c.run = may_supersede.run and c.call = may_supersede.supersedes
      and c.kind = 'attempt' and c.state in ('unknown', 'not_found')
  )
$$;

-- Only an operation that is known to have acted can be compensated, by another that says how far.
create function keepfact.may_compensate(run text, kind text, compensates text, undo text) returns boolean
language sql stable
as $$
  select may_compensate.kind = 'operation' and undo is not null and exists (
    select from keepfact.calls c
    where c.run = may_compensate.run and c.call = may_compensate.compensates
      and c.kind = 'operation' and c.state = 'confirmed'
  )
$$;

-- The id is the idempotency key, so another run of the tenant must not have it.
create function keepfact.is_used_elsewhere(call text) returns boolean
language sql stable
as $$
  select exists (select from keepfact.calls c where c.tenant = keepfact.tenant() and c.call = is_used_elsewhere.call)
$$;

-- Known, held and the new ceiling together stay within the budget.
create function keepfact.is_within_budget(held keepfact.runs, ceiling_cents bigint) returns boolean
language sql immutable
as $$
  select held.known_cents + held.held_cents + ceiling_cents <= held.budget_cents
$$;

-- Stores the answer of an open call, and its amount in full, also above its ceiling. An answer that names no amount has
-- cost null. A text that cannot be stored is given as null.
create function keepfact.record_answer(
  command_id text, run text, fence bigint, call text, answer text, cost_cents bigint
) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('record_answer', run, fence, call, answer, cost_cents);
  held keepfact.runs;
  payload text;
  first jsonb;
begin
  if cost_cents < 0 then
    return keepfact.refused('malformed');
  end if;
  first := keepfact.first_answer(command_id, asked);
  if first is not null then
    return first;
  end if;
  held := keepfact.lock_run(run);
  first := keepfact.refused(coalesce(
    keepfact.guard_work(held, fence, winds_up => true),
    keepfact.guard_open(keepfact.find_call(run, call)),
    case when not keepfact.is_storable(answer) then 'unstorable' end
  ));
  if first is not null then
    return first;
  end if;
  payload := keepfact.keep(answer);
  update keepfact.calls c set
    state = 'confirmed',
    answer = keepfact.inline(record_answer.answer),
    answer_payload = payload,
    cost_cents = record_answer.cost_cents,
    over_ceiling = coalesce(record_answer.cost_cents > c.ceiling_cents, false)
  where c.run = record_answer.run and c.call = record_answer.call;
  perform keepfact.progress(held);
  perform keepfact.append(run, 'answered', 'work', fence, call, jsonb_build_object(
    'call', call, 'answer', keepfact.inline(answer), 'answer_payload', payload, 'cost_cents', cost_cents
  ));
  return keepfact.done('work', command_id, asked);
end
$$;

-- Says that the answer of an open call was lost. Nothing about the effect is claimed, and the hold stays.
create function keepfact.mark_unknown(command_id text, run text, fence bigint, call text) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('mark_unknown', run, fence, call);
  held keepfact.runs;
  answer jsonb;
begin
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  held := keepfact.lock_run(run);
  answer := keepfact.refused(coalesce(
    keepfact.guard_work(held, fence, winds_up => true),
    keepfact.guard_open(keepfact.find_call(run, call))
  ));
  if answer is not null then
    return answer;
  end if;
  perform keepfact.lose(run, call, 'work', fence);
  return keepfact.done('work', command_id, asked);
end
$$;

-- Why a call may not get its answer: there must be one, in flight.
create function keepfact.guard_open(known keepfact.calls) returns text
language sql immutable
as $$
  select case
    when known.call is null then 'no_such_call'
    when known.state <> 'open' then 'call_not_open'
  end
$$;
