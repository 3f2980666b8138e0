-- Entry point grant: the owner of a source says who may read it.

-- Lets a user read a source. Granting twice is granting once.
create function keepfact.grant(command_id text, source text, user_ text) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('grant', source, user_);
  answer jsonb;
begin
  if not keepfact.is_name(source) or not keepfact.is_name(user_) then
    return keepfact.refused('malformed');
  end if;
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  insert into keepfact.readers (source, reader) values (source, user_) on conflict do nothing;
  return keepfact.done('grant', command_id, asked);
end
$$;

-- Withdraws a grant: from here on that user may read nothing of the source, in whatever it went into.
create function keepfact.revoke(command_id text, source text, user_ text) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('revoke', source, user_);
  answer jsonb;
begin
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  delete from keepfact.readers r where r.tenant = keepfact.tenant() and r.source = revoke.source and r.reader = user_;
  if not found then
    return keepfact.refused('no_such_grant');
  end if;
  return keepfact.done('grant', command_id, asked);
end
$$;
