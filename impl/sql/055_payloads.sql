-- Texts: what can be stored, and what is kept once by its digest.

-- Nobody could store such a text: the store gives null for one with a NUL or half a character; or it is too long.
create function keepfact.is_storable(content text) returns boolean
language sql immutable
as $$
  select content is not null and length(content) <= 100000
$$;

-- A text that is kept once, by its digest.
create function keepfact.is_large(content text) returns boolean
language sql immutable
as $$
  select length(content) > 1000
$$;

-- The text itself if it is short; null if it is large, and then `keep` has it.
create function keepfact.inline(content text) returns text
language sql immutable
as $$
  select case when not keepfact.is_large(content) then content end
$$;

-- Keeps a large text once, by its digest, and gives the digest; null for a short one. A purge that is under way is
-- waited for.
create function keepfact.keep(content text) returns text
language plpgsql
as $$
declare
  known text;
begin
  if keepfact.is_large(content) then
    known := keepfact.digest(content);
    perform keepfact.keep_by_digest(known, content);
  end if;
  return known;
end
$$;

-- Keeps a text, of whatever length, under its digest.
create function keepfact.keep_by_digest(known text, content text) returns void
language sql volatile
as $$
  insert into keepfact.payloads as p (digest, content) values (known, content)
    on conflict (tenant, digest) do update set version = p.version
$$;

-- The text as it was stored. One that was purged is gone, and said to be.
create function keepfact.full_text(content text, payload text) returns text
language sql stable
as $$
  select case when payload is null then content else coalesce(
    (select p.content from keepfact.payloads p where p.tenant = keepfact.tenant() and p.digest = payload),
    'purged text, sha256 ' || payload
  ) end
$$;
