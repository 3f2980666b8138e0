-- Entry point observe, continued: waits, children, findings.

-- The checkpoints of a run, in the order of sealing; with an approval what was shown to a person.
create function keepfact.show_waits(run text) returns json
language plpgsql stable
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'wait', w.wait,
      'kind', w.kind,
      'checkpoint', keepfact.show_checkpoint(w.run, w.wait),
      'left_seconds', keepfact.seconds_left(w.until),
      'state', w.state,
      'arrivals', w.arrivals,
      'child', w.child,
      'shown', keepfact.show_shown(w.run, w.wait),
      'approved', a.approved,
      'used_by', a.used_by
    ) order by w.place), '[]')
    from keepfact.waits w left join keepfact.approvals a using (run, wait) where w.run = show_waits.run
  );
end
$$;

-- What must be the same when the run goes on.
create function keepfact.show_checkpoint(run text, wait text) returns json
language plpgsql stable
as $$
begin
  return (
    select json_build_object(
      'format', w.format, 'bundle', w.bundle, 'digest', w.digest, 'history_number', w.history_number,
      'budget_left_cents', w.budget_left_cents
    )
    from keepfact.waits w where w.run = show_checkpoint.run and w.wait = show_checkpoint.wait
  );
end
$$;

-- What a person was shown, and what was in force then; null where nobody was asked.
create function keepfact.show_shown(run text, wait text) returns json
language plpgsql stable
as $$
begin
  return (
    select json_build_object(
      'call', a.call, 'digest', w.digest, 'risk', a.risk, 'basis', a.basis, 'differs', a.differs,
      'in_force', json_build_object(
        'resource', a.resource, 'plan', a.plan, 'policy', a.policy, 'permitted', a.permitted
      )
    )
    from keepfact.approvals a join keepfact.waits w using (run, wait)
    where a.run = show_shown.run and a.wait = show_shown.wait
  );
end
$$;

-- What came, by wait and number.
create function keepfact.show_arrivals(run text) returns json
language plpgsql stable
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'wait', a.wait, 'number', a.number, 'digest', a.digest, 'is_late', a.is_late
    ) order by a.wait collate "C", a.number), '[]')
    from keepfact.arrivals a where a.run = show_arrivals.run
  );
end
$$;

-- The runs that it started, in order of birth.
create function keepfact.show_children(run text) returns json
language plpgsql stable
as $$
begin
  return (
    select coalesce(json_agg(json_build_object('spawn', c.spawn, 'child', c.child) order by c.place), '[]')
    from keepfact.children c where c.run = show_children.run
  );
end
$$;

-- The branches that it took.
create function keepfact.show_markers(run text) returns json
language plpgsql stable
as $$
begin
  return (
    select coalesce(json_agg(json_build_object('marker', m.marker, 'branch', m.branch) order by m.place), '[]')
    from keepfact.markers m where m.run = show_markers.run
  );
end
$$;

-- The findings that it saved.
create function keepfact.show_materials(run text) returns json
language plpgsql stable
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'material', m.material,
      'source', m.source,
      'digest', m.digest,
      'fence', m.fence,
      'as_of', m.as_of,
      'fresh_seconds', keepfact.seconds_left(m.fresh_until),
      'derived_from', m.derived_from,
      'replaces', m.replaces,
      'judgement', m.judgement
    ) order by m.place), '[]')
    from keepfact.materials m where m.run = show_materials.run
  );
end
$$;

-- The findings that it was handed, in this order.
create function keepfact.show_inherited(run text) returns json
language plpgsql stable
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'material', i.material, 'run', i.origin, 'label', i.label, 'reads', i.reads
    ) order by i.place), '[]')
    from keepfact.inherited i where i.run = show_inherited.run
  );
end
$$;
