-- Who may do what: each entry point is a role, and each role may execute its own functions and nothing else.
-- The loader puts the names of this installation's roles in place of :"observe", :"submit" and so on, as psql does.

revoke all on schema keepfact from public;
revoke all on all tables in schema keepfact from public;
revoke all on all functions in schema keepfact from public;

grant usage on schema keepfact to :"observe", :"submit", :"work", :"recover", :"reconcile";

grant execute on function keepfact.observe to :"observe";

grant execute on function keepfact.submit to :"submit";

grant execute on function keepfact.claim to :"work";
grant execute on function keepfact.renew to :"work";
grant execute on function keepfact.release to :"work";
grant execute on function keepfact.intend to :"work";
grant execute on function keepfact.record_answer to :"work";
grant execute on function keepfact.mark_unknown to :"work";
grant execute on function keepfact.publish to :"work";
grant execute on function keepfact.succeed to :"work";
grant execute on function keepfact.fail to :"work";

grant execute on function keepfact.recover to :"recover";
grant execute on function keepfact.lapsed_runs to :"recover";

grant execute on function keepfact.reconcile to :"reconcile";
