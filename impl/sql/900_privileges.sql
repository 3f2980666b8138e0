-- Who may do what: each entry point is a role, and each role may execute its own functions and nothing else.
-- The loader puts the names of this installation's roles in place of :"observe", :"submit" and so on, as psql does.

revoke all on schema keepfact from public;
revoke all on all tables in schema keepfact from public;
revoke all on all functions in schema keepfact from public;

grant usage on schema keepfact to
  :"observe", :"submit", :"continue", :"work", :"recover", :"decide", :"deliver", :"wake", :"cancel", :"reconcile",
  :"grant", :"deploy", :"purge";
grant execute on function keepfact.on_behalf to
  :"observe", :"submit", :"continue", :"work", :"recover", :"decide", :"deliver", :"wake", :"cancel", :"reconcile",
  :"grant", :"deploy", :"purge";

grant execute on function keepfact.observe to :"observe";
grant execute on function keepfact.survey to :"observe";
grant execute on function keepfact.read_events to :"observe";
grant execute on function keepfact.read_heads to :"observe";
grant execute on function keepfact.list_runs to :"observe";

grant execute on function keepfact.submit to :"submit";
grant execute on function keepfact.continue to :"continue";

grant execute on function keepfact.claim to :"work";
grant execute on function keepfact.renew to :"work";
grant execute on function keepfact.release to :"work";
grant execute on function keepfact.intend to :"work";
grant execute on function keepfact.send_again to :"work";
grant execute on function keepfact.record_answer to :"work";
grant execute on function keepfact.mark_unknown to :"work";
grant execute on function keepfact.publish to :"work";
grant execute on function keepfact.request_approval to :"work";
grant execute on function keepfact.wait to :"work";
grant execute on function keepfact.spawn to :"work";
grant execute on function keepfact.mark to :"work";
grant execute on function keepfact.save_material to :"work";
grant execute on function keepfact.read_material to :"work";
grant execute on function keepfact.succeed to :"work";
grant execute on function keepfact.fail to :"work";
grant execute on function keepfact.stop to :"work";

grant execute on function keepfact.recover to :"recover";
grant execute on function keepfact.lost_runs to :"recover";

grant execute on function keepfact.decide to :"decide";
grant execute on function keepfact.assess to :"decide";

grant execute on function keepfact.deliver to :"deliver";
grant execute on function keepfact.due_deliveries to :"deliver";

grant execute on function keepfact.wake to :"wake";
grant execute on function keepfact.accepted_wakes to :"wake";

grant execute on function keepfact.cancel to :"cancel";

grant execute on function keepfact.reconcile to :"reconcile";
grant execute on function keepfact.unresolved_runs to :"reconcile";

grant execute on function keepfact.grant to :"grant";
grant execute on function keepfact.revoke to :"grant";

grant execute on function keepfact.deploy to :"deploy";
grant execute on function keepfact.retire to :"deploy";
grant execute on function keepfact.migrate to :"deploy";
grant execute on function keepfact.end_migration to :"deploy";

grant execute on function keepfact.purge to :"purge";
grant execute on function keepfact.kept_payloads to :"purge";
