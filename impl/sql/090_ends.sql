-- Entry point work, the outcome: what the user is shown, and how the worker ends the run.

-- Stores the next version of the body; qualified, once it was validated as deliverable. A text that cannot be stored is
-- given as null.
create function keepfact.publish(command_id text, run text, fence bigint, body text, qualified boolean) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('publish', run, fence, body, qualified);
  held keepfact.runs;
  payload text;
  version bigint;
  answer jsonb;
begin
  if qualified is null then
    return keepfact.refused('malformed');
  end if;
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  held := keepfact.lock_run(run);
  answer := keepfact.refused(coalesce(
    keepfact.guard_work(held, fence),
    case when not keepfact.is_storable(body) then 'unstorable' end
  ));
  if answer is not null then
    return answer;
  end if;
  payload := keepfact.keep(body);
  version := 1 + keepfact.last_version(run);
  insert into keepfact.publications (run, version, fence, body, body_payload, qualified)
    values (run, version, fence, keepfact.inline(body), payload, qualified);
  perform keepfact.progress(held);
  perform keepfact.append(run, 'published', 'work', fence, null, jsonb_build_object(
    'version', version, 'body', keepfact.inline(body), 'body_payload', payload, 'qualified', qualified
  ));
  return keepfact.done('work', command_id, asked);
end
$$;

-- The number of the last version; asked for in this form, since a maximum may be looked for among all of them.
create function keepfact.last_version(run text) returns bigint
language sql stable
as $$
  select coalesce((
    select p.version from keepfact.publications p where p.run = last_version.run order by p.version desc limit 1
  ), 0)
$$;

-- Ends the run as succeeded, or seals it for that while a cost is unresolved.
create function keepfact.succeed(command_id text, run text, fence bigint) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('succeed', run, fence);
  held keepfact.runs;
  answer jsonb;
begin
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  held := keepfact.lock_run(run);
  answer := keepfact.refused(coalesce(
    keepfact.guard_work(held, fence),
    case
      when keepfact.has_open_call(held) then 'call_open'
      when not keepfact.has_qualified_publication(run) then 'not_qualified'
    end
  ));
  if answer is not null then
    return answer;
  end if;
  perform keepfact.seal(run, 'succeeded', 'work', fence);
  return keepfact.done('work', command_id, asked);
end
$$;

-- There is a version that may be delivered.
create function keepfact.has_qualified_publication(run text) returns boolean
language sql stable
as $$
  select exists (
    select from keepfact.publications p where p.run = has_qualified_publication.run and p.qualified
  )
$$;

-- Ends the run as failed. Calls in flight are lost, and with one unresolved the run is sealed as unknown. What the
-- error says is for people; the store gives it in constant size when it cannot be stored.
create function keepfact.fail(command_id text, run text, fence bigint, error text) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('fail', run, fence, error);
  held keepfact.runs;
  answer jsonb;
begin
  if not keepfact.is_storable(coalesce(error, '')) then
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
  update keepfact.runs r set error = fail.error where r.run = fail.run;
  perform keepfact.lose_open_calls(run, 'work', fence);
  perform keepfact.seal(run, 'failed', 'work', fence, error);
  return keepfact.done('work', command_id, asked);
end
$$;

-- Ends a run that was asked to stop, as cancelled; with a call unresolved it is sealed as unknown.
create function keepfact.stop(command_id text, run text, fence bigint) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('stop', run, fence);
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
    case
      when held.state <> 'cancelling' then 'not_cancelling'
      when keepfact.has_open_call(held) then 'call_open'
    end
  ));
  if answer is not null then
    return answer;
  end if;
  perform keepfact.seal(run, 'cancelled', 'work', fence);
  return keepfact.done('work', command_id, asked);
end
$$;
