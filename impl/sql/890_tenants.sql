-- Between tenants stands the database itself: also for the owner, whose functions these are, only one tenant's rows
-- exist, those of whoever is asking. By this condition nobody can look rows up, only sort them out; what is looked
-- up in a tenant says so itself. Otherwise whoever asks for a run could be served from an index of all that the
-- tenant has.

do $$
declare
  table_name text;
begin
  foreach table_name in array array[
    'bundles', 'runs', 'calls', 'publications', 'payloads', 'events', 'answers', 'waits', 'approvals', 'in_force',
    'arrivals', 'children', 'markers', 'materials', 'inherited', 'readers'
  ] loop
    execute format('alter table keepfact.%I enable row level security', table_name);
    execute format('alter table keepfact.%I force row level security', table_name);
    execute format(
      'create policy own_rows on keepfact.%I using ((tenant = keepfact.tenant()) is true)', table_name
    );
  end loop;
end
$$;
