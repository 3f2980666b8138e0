"""What is refused of findings, grants, bundles, migrations and large texts."""

from .. import stages as at
from .. import stages_of_people as people
from .case import Case

CASES: list[Case] = [
    (at.running, "save_material", {"fresh_seconds": -1}, "malformed"),
    (at.running, "save_material", {"material": ""}, "malformed"),
    (at.running, "save_material", {"source": "two\nlines"}, "malformed"),
    (people.saved, "save_material", {}, "material_exists"),
    (at.running, "save_material", {"derived_from": ("n",)}, "no_such_material"),
    (people.saved, "save_material", {"material": "n", "derived_from": ("m", "o")}, "no_such_material"),
    (people.saved, "save_material", {"material": "n", "replaces": "o"}, "no_such_material"),
    (people.saved, "read_material", {}, "no_such_material"),
    (people.handed_over, "read_material", {"material": "n"}, "no_such_material"),
    (people.revoked, "read_material", {}, "not_readable"),
    (at.new, "grant", {"source": ""}, "malformed"),
    (at.new, "grant", {"user_": "two\nlines"}, "malformed"),
    (at.new, "revoke", {}, "no_such_grant"),
    (people.granted_to_reader, "revoke", {"user_": "other"}, "no_such_grant"),
    (at.new, "deploy", {"bundle": "latest"}, "malformed"),
    (at.new, "deploy", {"replayed": -1}, "malformed"),
    (at.new, "deploy", {"diverged": -1}, "malformed"),
    (people.deployed, "deploy", {}, "bundle_exists"),
    (at.new, "deploy", {"bundle": "bundle-1"}, "bundle_exists"),
    (at.new, "deploy", {"diverged": 1}, "diverged"),
    (at.new, "deploy", {"replayed": 0}, "not_replayed"),
    (at.new, "retire", {"bundle": "bundle-9"}, "no_such_bundle"),
    (at.running, "retire", {}, "bundle_needed"),
    (at.sealed_as_unknown, "retire", {}, "bundle_needed"),
    (people.migrating, "migrate", {}, "migrating"),
    (at.new, "end_migration", {}, "not_migrating"),
    (people.migrating_under_an_old_worker, "end_migration", {}, "old_worker_live"),
    (at.new, "purge", {"payload": "d" * 64}, "no_such_payload"),
    (at.published, "purge", {}, "no_such_payload"),
    (people.published_large, "purge", {}, "payload_needed"),
    (people.large_and_unknown, "purge", {}, "payload_needed"),
    (people.answered_large, "purge", {}, "payload_needed"),
    (people.large_finding_and_over, "purge", {}, "payload_needed"),
]
