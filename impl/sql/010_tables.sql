-- What is stored. Nobody but the owner may touch a table: everything else goes through the functions of its entry
-- point.

-- The versions that workers support, each with the changed branches that it knows. `latest` is resolved at admission.
create table keepfact.bundles (
  tenant text not null default keepfact.tenant() references keepfact.tenants,
  bundle text not null check (bundle <> 'latest'),
  deployed bigint generated always as identity,
  markers text[] not null default '{}',
  is_retired boolean not null default false,
  primary key (tenant, bundle)
);

-- One row a run: what it was admitted with, where it stands, and the sums over its calls. Every write locks this row
-- first.
create table keepfact.runs (
  run text primary key,
  tenant text not null default keepfact.tenant() references keepfact.tenants,
  admitted bigint generated always as identity,
  contract text not null check (contract in ('settle', 'resume')),
  budget_cents bigint not null check (budget_cents >= 0),
  bundle text not null,
  request text,
  parent text references keepfact.runs,
  continues text references keepfact.runs,
  reader text,
  open_calls text[] not null default '{}',
  state text not null default 'queued' check (state in (
    'queued', 'running', 'waiting_approval', 'waiting_external', 'cancelling', 'unknown',
    'succeeded', 'failed', 'cancelled', 'interrupted'
  )),
  fence bigint not null default 0,
  worker text,
  worker_schema integer not null default 1,
  lease_until timestamptz,
  sealed_for text check (sealed_for in ('succeeded', 'failed', 'cancelled', 'interrupted')),
  deaths integer not null default 0,
  assessment boolean,
  error text,
  known_cents numeric not null default 0,
  held_cents numeric not null default 0,
  unresolved bigint not null default 0,
  unknown_operations bigint not null default 0,
  is_spent boolean not null generated always as (known_cents + held_cents >= budget_cents) stored,
  foreign key (tenant, bundle) references keepfact.bundles
) with (fillfactor = 50);  -- the row of a run at work changes with every call: its next version finds room beside it

create index runs_in_order on keepfact.runs (tenant, admitted);
create index runs_queued on keepfact.runs (tenant, admitted) where state = 'queued';
create index runs_leased on keepfact.runs (tenant, lease_until) where lease_until is not null;
create index runs_spent on keepfact.runs (tenant) where is_spent and state in ('waiting_approval', 'waiting_external');
create index runs_cancelling on keepfact.runs (tenant) where state = 'cancelling';
create index runs_alive on keepfact.runs (tenant, bundle)
  where state not in ('succeeded', 'failed', 'cancelled', 'interrupted');
create unique index runs_of_requests on keepfact.runs (tenant, request) where request is not null;

-- Attempts and operations, in order of intent. Unresolved: nobody knows yet what the call cost, so its ceiling is held.
create table keepfact.calls (
  run text not null,
  tenant text not null default keepfact.tenant(),
  call text not null,
  intent bigint generated always as identity,
  kind text not null check (kind in ('attempt', 'operation')),
  digest text not null,
  ceiling_cents bigint not null check (ceiling_cents >= 0),
  fence bigint not null,
  supersedes text,
  compensates text,
  undo text check (undo in ('reversible', 'correctable', 'irreversible')),
  recognises boolean not null default false,
  sends integer not null default 1,
  sends_max integer not null default 1 check (sends_max >= 1),
  told_to_stop boolean not null default false,
  state text not null default 'open' check (state in ('open', 'confirmed', 'unknown', 'not_found')),
  answer text,
  answer_payload text,
  cost_cents bigint check (cost_cents >= 0),
  over_ceiling boolean not null default false,
  unresolved boolean not null generated always as
    (state in ('open', 'unknown') or (state = 'confirmed' and cost_cents is null)) stored,
  primary key (run, call)
);

create index calls_unresolved on keepfact.calls (tenant, run) where unresolved;
create unique index calls_are_idempotency_keys on keepfact.calls (tenant, call);
create index calls_with_payload on keepfact.calls (tenant, answer_payload) where answer_payload is not null;

-- The versions of the body shown to the user.
create table keepfact.publications (
  run text not null,
  tenant text not null default keepfact.tenant(),
  version bigint not null,
  fence bigint not null,
  body text,
  body_payload text,
  qualified boolean not null,
  primary key (run, version)
);

create index publications_with_payload on keepfact.publications (tenant, body_payload) where body_payload is not null;

-- Large texts, each kept once. Until it is purged: then only its digest says what it was.
create table keepfact.payloads (
  tenant text not null default keepfact.tenant(),
  digest text not null,
  stored bigint generated always as identity,
  version integer not null default 1,
  content text not null,
  primary key (tenant, digest)
);

-- The history of each run: numbered 1, 2, 3 ... in the order of commit, chained by digests. The payload has all facts,
-- the store's time among them, so that the other tables can be folded from it.
create table keepfact.events (
  run text not null,
  tenant text not null default keepfact.tenant(),
  number bigint not null,
  type text not null,
  entry_point text not null,
  principal text not null check (principal <> ''),
  fence bigint,
  concerns text,
  payload jsonb not null,
  payload_digest text not null,
  previous_digest text,
  digest text not null,
  primary key (run, number)
);

-- What each command that was done was answered, so that repeating it gives the first answer.
create table keepfact.answers (
  tenant text not null default keepfact.tenant(),
  command_id text not null,
  command_digest text not null,
  answer jsonb not null,
  primary key (tenant, command_id)
);

-- The settings of the installation, in one row. A test sets frozen_at and moves it; otherwise the server's clock
-- counts. Workers written for a version of the tables between the oldest and the newest are served.
create table keepfact.settings (
  only_row boolean primary key default true check (only_row),
  lease_seconds integer not null default 30 check (lease_seconds > 0),
  frozen_at timestamptz,
  schema_oldest integer not null default 1,
  schema_newest integer not null default 1,
  notifies boolean not null default false
);

insert into keepfact.settings default values;
