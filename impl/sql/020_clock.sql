-- The one clock that leases follow.

-- The store's time: the server's clock, unless the owner has frozen it.
create function keepfact.store_now() returns timestamptz
language sql volatile
as $$
  select coalesce((select s.frozen_at from keepfact.settings s), clock_timestamp())
$$;

-- When a lease that is granted or renewed now will lapse.
create function keepfact.lease_end() returns timestamptz
language sql volatile
as $$
  select keepfact.store_now() + make_interval(secs => s.lease_seconds) from keepfact.settings s
$$;

-- What is left of a lease, in whole seconds, rounded up; 0 is lapsed, and null is no lease.
create function keepfact.lease_left_seconds(lease_until timestamptz) returns integer
language sql volatile
as $$
  select case
    when lease_until is not null
    then greatest(0, ceil(extract(epoch from lease_until - keepfact.store_now())))::integer
  end
$$;
