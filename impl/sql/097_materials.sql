-- Entry point work, findings: saved with their lineage, used where they were handed over, never fetched again.

-- Saves a finding: from which source, as of when, derived from which others, and which earlier one it replaces. What it
-- derives from may have been handed over. Its text is kept by its digest, if it is given.
-- Lock order: the command's id, the run, the payload that the digest names, if there is one.
create function keepfact.save_material(
  command_id text, run text, fence bigint, material text, source text, digest text, as_of text, fresh_seconds bigint,
  derived_from text[], replaces text, judgement boolean, content text
) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array(
    'save_material', run, fence, material, source, digest, as_of, fresh_seconds, derived_from, replaces, judgement,
    keepfact.digest(content)
  );
  held keepfact.runs;
  answer jsonb;
begin
  if judgement is null or not keepfact.is_duration(fresh_seconds) or not keepfact.is_name(material)
    or not keepfact.is_name(source) or not keepfact.is_name(digest) or not keepfact.is_name(coalesce(as_of, 'none'))
    or not keepfact.is_list(derived_from)
    or (content is not null and not (keepfact.is_storable(content) and keepfact.digest(content) = digest))
  then
    return keepfact.refused('malformed');
  end if;
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  held := keepfact.lock_run(run);
  answer := keepfact.refused(coalesce(
    keepfact.guard_work(held, fence),
    case
      when keepfact.has_materials(run, array[material]) then 'material_exists'
      when not keepfact.has_materials(run, array[replaces]) or not keepfact.knows_materials(run, derived_from)
        then 'no_such_material'
    end
  ));
  if answer is not null then
    return answer;
  end if;
  if content is not null then
    perform keepfact.keep_by_digest(digest, content);
  end if;
  perform from keepfact.payloads p
    where p.tenant = keepfact.tenant() and p.digest = save_material.digest for share;  -- not purged meanwhile
  insert into keepfact.materials (
    run, material, source, digest, fence, as_of, fresh_until, derived_from, replaces, judgement
  ) values (
    run, material, source, digest, fence, as_of, keepfact.seconds_from_now(fresh_seconds), derived_from, replaces,
    judgement
  );
  perform keepfact.progress(held);
  perform keepfact.append(run, 'saved', 'work', fence, material, jsonb_strip_nulls(jsonb_build_object(
    'material', material, 'source', source, 'digest', digest, 'as_of', as_of, 'fresh_seconds', fresh_seconds,
    'derived_from', derived_from, 'replaces', replaces, 'judgement', judgement
  )));
  return keepfact.done('work', command_id, asked);
end
$$;

-- Uses a finding that was handed over at admission, if its whole lineage may still be read by whom the run is for. Its
-- text is read in the history, and not kept with the answer: there it would outlive a purge, and whoever repeats the
-- command would read it after the grant was withdrawn.
create function keepfact.read_material(command_id text, run text, fence bigint, material text) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked constant jsonb := jsonb_build_array('read_material', run, fence, material);
  held keepfact.runs;
  handed keepfact.inherited;
  answer jsonb;
begin
  answer := keepfact.first_answer(command_id, asked);
  if answer is not null then
    return answer;
  end if;
  held := keepfact.lock_run(run);
  select * into handed from keepfact.inherited i
    where i.run = read_material.run and i.material = read_material.material order by i.place limit 1;
  answer := keepfact.refused(coalesce(
    keepfact.guard_work(held, fence),
    case
      when handed.material is null then 'no_such_material'
      when not keepfact.may_read(handed.origin, material, held.reader) then 'not_readable'
    end
  ));
  if answer is not null then
    return answer;
  end if;
  update keepfact.inherited i set reads = i.reads + 1 where i.run = handed.run and i.place = handed.place;
  perform keepfact.append(run, 'saved', 'work', fence, material, jsonb_build_object(
    'material', material, 'origin', handed.origin, 'content_payload', keepfact.digest_of(handed.origin, material)
  ));
  return keepfact.done('work', command_id, asked);
end
$$;

-- The digest of a finding's text; null if none was kept.
create function keepfact.digest_of(origin text, material text) returns text
language sql stable
as $$
  select p.digest from keepfact.materials m join keepfact.payloads p on p.tenant = m.tenant and p.digest = m.digest
  where m.run = digest_of.origin and m.material = digest_of.material
$$;

-- The run has saved all of these.
create function keepfact.has_materials(run text, materials text[]) returns boolean
language sql stable
as $$
  select array_remove(materials, null) <@ coalesce((
    select array_agg(m.material) from keepfact.materials m
    where m.run = has_materials.run and m.material = any(materials)
  ), '{}')
$$;

-- The run has saved each of these, or was handed it.
create function keepfact.knows_materials(run text, materials text[]) returns boolean
language sql stable
as $$
  select not exists (
    select from unnest(materials) as named (material)
    where not keepfact.has_materials(knows_materials.run, array[named.material]) and not exists (
      select from keepfact.inherited i where i.run = knows_materials.run and i.material = named.material
    )
  )
$$;

-- Traceable in time, and readable by that user with everything that it derives from, however far back and in whatever
-- run. A name means what its run itself had saved under it by then, or else what it was handed under it; what a name
-- leads to nobody can say, nobody may read.
create function keepfact.may_read(origin text, material text, reader text) returns boolean
language sql stable
as $$
  with recursive lineage as (
    select m.run, m.place, m.source, m.as_of, m.derived_from from keepfact.materials m
    where m.run = origin and m.material = may_read.material
    union
    select meant.run, meant.place, meant.source, meant.as_of, meant.derived_from
    from lineage l cross join unnest(l.derived_from) as named (material) left join lateral (
      select 1 as turn, 0 as handed, m.* from keepfact.materials m
      where m.run = l.run and m.material = named.material and m.place < l.place
      union all
      select 2, i.place, m.* from keepfact.inherited i join keepfact.materials m on m.run = i.origin
      where i.run = l.run and i.material = named.material and m.material = i.material
      order by turn, handed limit 1
    ) as meant on true
  )
  select coalesce(bool_and(l.as_of is not null and exists (
    select from keepfact.readers r
    where r.tenant = keepfact.tenant() and r.source = l.source and r.reader = may_read.reader
  )), false) from lineage l
$$;

-- How a finding is handed over: not as fresh if it is not, not as a fact if it is what somebody concluded.
create function keepfact.label(found keepfact.materials) returns text
language sql volatile
as $$
  select case
    when exists (
      select from keepfact.materials m where m.run = found.run and m.replaces = found.material
    ) then 'superseded'
    when keepfact.seconds_left(found.fresh_until) = 0 then 'stale'
    when found.judgement then 'judgement'
    else 'current'
  end
$$;

-- Hands over what this user may read of all that a run was handed itself or has saved, in this order: eligibility is
-- this one query. The new run was admitted in this transaction.
create function keepfact.hand_over(source text, to_run text, reader text) returns void
language sql volatile
as $$
  insert into keepfact.inherited (run, material, origin, label)
  select to_run, m.material, m.run, keepfact.label(m)
  from (
    select 1 as turn, i.place, i.origin, i.material from keepfact.inherited i where i.run = hand_over.source
    union all
    select 2, o.place, o.run, o.material from keepfact.materials o where o.run = hand_over.source
  ) as offered
  join keepfact.materials m on m.run = offered.origin and m.material = offered.material
  where keepfact.may_read(m.run, m.material, hand_over.reader)
  order by offered.turn, offered.place
$$;
