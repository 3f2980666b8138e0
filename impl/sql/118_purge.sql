-- Entry point purge: forgets texts that nobody needs any more.

-- Forgets the text behind a digest; whatever names it stays. Refused, it lists the runs that need it: those that have
-- not ended or have a call unresolved, and those with a finding that rests on it.
-- Lock order: the command's id, the payload: whoever is storing or using it is waited for.
create function keepfact.purge(command_id text, payload text) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('purge', payload);
  needing text[];
  answer jsonb;
begin
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  perform from keepfact.payloads p where p.tenant = keepfact.tenant() and p.digest = payload for update;
  if not found then
    return keepfact.refused('no_such_payload');
  end if;
  needing := keepfact.needing(payload);
  if needing <> '{}' then
    return keepfact.refused('payload_needed', needing);
  end if;
  delete from keepfact.payloads p where p.tenant = keepfact.tenant() and p.digest = payload;
  return keepfact.done('purge', command_id, asked);
end
$$;

-- The runs that need a payload, in order of admission.
create function keepfact.needing(payload text) returns text[]
language sql stable
as $$
  select coalesce(array_agg(r.run order by r.admitted), '{}')
  from keepfact.naming(payload) as named (run) join keepfact.runs r using (run)
  where not keepfact.is_ended(r) or r.unresolved > 0 or exists (
    select from keepfact.materials m where m.run = r.run and m.digest = payload
  )
$$;
