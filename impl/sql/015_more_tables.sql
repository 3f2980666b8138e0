-- What is stored of waits, approvals, children, findings and branches.

-- The sealed safe points, in the order of sealing. `until` is when a timer is due and anything else expires.
create table keepfact.waits (
  run text not null references keepfact.runs,
  tenant text not null default keepfact.tenant(),
  wait text not null,
  place bigint generated always as identity,
  kind text not null check (kind in ('approval', 'callback', 'child', 'timer')),
  state text not null default 'waiting' check (state in ('waiting', 'accepted', 'consumed', 'closed')),
  format integer not null,
  bundle text not null,
  digest text not null,
  history_number bigint not null,
  budget_left_cents bigint not null,
  until timestamptz not null,
  arrivals integer not null default 1,
  child text,
  primary key (run, wait)
);

create index waits_open on keepfact.waits (tenant, until) where state in ('waiting', 'accepted');
create index waits_accepted on keepfact.waits (tenant, place) where state = 'accepted';
create index waits_for_time on keepfact.waits (tenant, until) where state = 'waiting' and kind = 'timer';
create index waits_for_children on keepfact.waits (tenant, child) where state = 'waiting' and kind = 'child';

-- What a person was asked to approve: the operation, and what was in force when it was shown.
create table keepfact.approvals (
  run text not null,
  tenant text not null default keepfact.tenant(),
  wait text not null,
  call text not null,
  risk text not null,
  basis text not null,
  resource integer not null,
  plan integer not null,
  policy integer not null,
  permitted boolean not null,
  differs text[] not null,
  approved boolean,
  used_by text,
  primary key (run, wait),
  foreign key (run, wait) references keepfact.waits
);

create index approvals_of_calls on keepfact.approvals (run, call);

-- What approvals are bound to, as it is now; kept up by whoever owns the resource, the plan and the policy.
create table keepfact.in_force (
  tenant text primary key default keepfact.tenant() references keepfact.tenants,
  resource integer not null default 1,
  plan integer not null default 1,
  policy integer not null default 1,
  permitted boolean not null default true
);

-- What came for a wait, before it, in time or late.
create table keepfact.arrivals (
  run text not null references keepfact.runs,
  tenant text not null default keepfact.tenant(),
  wait text not null,
  number integer not null check (number >= 1),
  digest text not null,
  is_late boolean not null,
  primary key (run, wait, number)
);

-- One child for one spawn id.
create table keepfact.children (
  run text not null references keepfact.runs,
  tenant text not null default keepfact.tenant(),
  spawn text not null,
  place bigint generated always as identity,
  child text not null references keepfact.runs,
  primary key (run, spawn)
);

-- Which branch of a changed program a run takes.
create table keepfact.markers (
  run text not null references keepfact.runs,
  tenant text not null default keepfact.tenant(),
  marker text not null,
  place bigint generated always as identity,
  branch text not null check (branch in ('old', 'new')),
  primary key (run, marker)
);

-- Findings, with where they are from and what they rest on.
create table keepfact.materials (
  run text not null references keepfact.runs,
  tenant text not null default keepfact.tenant(),
  material text not null,
  place bigint generated always as identity,
  source text not null,
  digest text not null,
  fence bigint not null,
  as_of text,
  fresh_until timestamptz not null,
  derived_from text[] not null,
  replaces text,
  judgement boolean not null,
  primary key (run, material)
);

create index materials_by_digest on keepfact.materials (tenant, digest);

-- What a continuation was handed at its admission: whose finding, and how it was labelled.
create table keepfact.inherited (
  run text not null references keepfact.runs,
  tenant text not null default keepfact.tenant(),
  place bigint generated always as identity,
  material text not null,
  origin text not null,
  label text not null check (label in ('current', 'stale', 'superseded', 'judgement')),
  reads integer not null default 0,
  primary key (run, place)
);

-- Who may read a source now.
create table keepfact.readers (
  tenant text not null default keepfact.tenant() references keepfact.tenants,
  source text not null,
  reader text not null,
  place bigint generated always as identity,
  primary key (tenant, source, reader)
);
