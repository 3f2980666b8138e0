-- What is stored. Nobody but the owner may touch a table: everything else goes through the functions of its entry point.

-- In these files what matters most comes first, and so before the helpers it calls.
set local check_function_bodies = off;

create schema keepfact;

-- One row a run: what it was admitted with and where it stands. Every write locks this row first.
create table keepfact.runs (
  run text primary key,
  admitted bigint generated always as identity,
  contract text not null check (contract in ('settle')),
  budget_cents bigint not null check (budget_cents >= 0),
  state text not null check (state in ('queued', 'running', 'unknown', 'succeeded', 'failed', 'interrupted')),
  fence bigint not null default 0,
  worker text,
  lease_until timestamptz,
  sealed_for text check (sealed_for in ('succeeded', 'failed', 'interrupted'))
);

create index runs_queued on keepfact.runs (admitted) where state = 'queued';
create index runs_leased on keepfact.runs (lease_until) where state = 'running';

-- Attempts and operations, in order of intent. Unresolved: nobody knows yet what the call cost, so its ceiling is held.
create table keepfact.calls (
  run text not null references keepfact.runs,
  call text not null,
  intent bigint generated always as identity,
  kind text not null check (kind in ('attempt', 'operation')),
  digest text not null,
  ceiling_cents bigint not null check (ceiling_cents >= 0),
  fence bigint not null,
  supersedes text,
  state text not null check (state in ('open', 'confirmed', 'unknown', 'not_found')),
  answer text,
  cost_cents bigint check (cost_cents >= 0),
  over_ceiling boolean not null default false,
  unresolved boolean not null generated always as
    (state in ('open', 'unknown') or (state = 'confirmed' and cost_cents is null)) stored,
  primary key (run, call)
);

-- The versions of the body shown to the user.
create table keepfact.publications (
  run text not null references keepfact.runs,
  version bigint not null,
  fence bigint not null,
  body text not null,
  qualified boolean not null,
  primary key (run, version)
);

-- The history of each run: numbered 1, 2, 3 ... in the order of commit, chained by digests. The payload has all facts,
-- the store's time among them, so that the other tables can be folded from it.
create table keepfact.events (
  run text not null references keepfact.runs,
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
  command_id text primary key,
  command_digest text not null,
  answer jsonb not null
);

-- The settings of the installation, in one row. A test sets frozen_at and moves it; otherwise the server's clock counts.
create table keepfact.settings (
  only_row boolean primary key default true check (only_row),
  lease_seconds integer not null default 30 check (lease_seconds > 0),
  frozen_at timestamptz
);

insert into keepfact.settings default values;
