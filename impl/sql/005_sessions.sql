-- Who is asking: a login of the database belongs to a tenant, and its name is the principal under all that it writes.

-- In these files what matters most comes first, and so before the helpers it calls.
set local check_function_bodies = off;

create schema keepfact;

-- Whose runs they are. One tenant sees, reads and writes nothing of another.
create table keepfact.tenants (
  tenant text primary key check (tenant collate "C" ~ '^[!-~]{1,200}$')
);

-- The tenant of each login. One that acts for others, as a gateway does that has authenticated them, may say for whom.
create table keepfact.logins (
  login name primary key,
  tenant text not null references keepfact.tenants,
  acts_for_others boolean not null default false
);

-- Says for whom the rest of this statement is asked. Refused to a login that acts only for itself.
create function keepfact.on_behalf(tenant text, principal text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (select from keepfact.logins l where l.login = session_user and l.acts_for_others) then
    raise exception 'the login % acts for itself only', session_user using errcode = 'insufficient_privilege';
  end if;
  if not exists (select from keepfact.tenants t where t.tenant = on_behalf.tenant)
    or not keepfact.is_name(principal)
  then
    raise exception 'expected a tenant that was founded, and a principal of one line'
      using errcode = 'insufficient_privilege';
  end if;
  perform set_config('keepfact.behalf', jsonb_build_array(tenant, principal)::text, true);
end
$$;

-- Every function that a login may call begins here: from now on the transaction sees one tenant's rows. What a caller
-- may have put into these settings before is overwritten, and only a login that acts for others is heard at all.
create function keepfact.enter() returns void
language plpgsql
as $$
declare
  known keepfact.logins;
  behalf jsonb;
begin
  select * into known from keepfact.logins l where l.login = session_user;
  if known.login is null then
    raise exception 'no tenant has a login %', session_user using errcode = 'insufficient_privilege';
  end if;
  if known.acts_for_others then
    behalf := nullif(current_setting('keepfact.behalf', true), '')::jsonb;
  end if;
  perform set_config('keepfact.tenant', coalesce(behalf ->> 0, known.tenant), true),
    set_config('keepfact.principal', coalesce(behalf ->> 1, session_user), true);
end
$$;

-- The tenant of whoever is asking.
create function keepfact.tenant() returns text
language sql stable
as $$
  select current_setting('keepfact.tenant', true)
$$;

-- Founds a tenant, with the first bundle that its workers support. For the owner of the installation.
create function keepfact.found_tenant(tenant text, bundle text) returns void
language plpgsql
as $$
begin
  insert into keepfact.tenants values (tenant);
  perform set_config('keepfact.tenant', tenant, true);
  insert into keepfact.in_force default values;
  insert into keepfact.bundles (bundle) values (bundle);
end
$$;

-- Tells the store that something that approvals are bound to has changed: a new version of the resource, the plan or
-- the policy, or that permission to approve was withdrawn. For whoever keeps these, as the owner of the
-- installation.
create function keepfact.change_in_force(tenant text, what text) returns void
language plpgsql
as $$
begin
  perform set_config('keepfact.tenant', tenant, true);
  update keepfact.in_force f set
    resource = f.resource + (what = 'resource')::integer,
    plan = f.plan + (what = 'plan')::integer,
    policy = f.policy + (what = 'policy')::integer,
    permitted = case when what = 'permission' then false else f.permitted end
  where f.tenant = change_in_force.tenant;
end
$$;
