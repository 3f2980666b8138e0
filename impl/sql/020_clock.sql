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

-- What is left until an instant, in whole seconds, rounded up; 0 once it is past, and null without one.
create function keepfact.seconds_left(until timestamptz) returns bigint
language sql volatile
as $$
  select case
    when until is not null
    then greatest(0, ceil(extract(epoch from until - keepfact.store_now())))::bigint
  end
$$;

-- A length of time that can be waited for: not below 0, and at most a hundred years.
create function keepfact.is_duration(seconds bigint) returns boolean
language sql immutable
as $$
  select coalesce(seconds between 0 and 3155760000, false)
$$;

-- The instant that lies so many seconds ahead.
create function keepfact.seconds_from_now(seconds bigint) returns timestamptz
language sql volatile
as $$
  select keepfact.store_now() + make_interval(secs => seconds)
$$;
