"""The build of the schema in which commands can be stopped is the schema, with calls where its comments stand."""

import re

from keepfact.impl.milestones import with_milestones
from keepfact.impl.schema import sql_files, unchanged

CALL = re.compile(r"perform keepfact\.milestone\('(.+)'\);")


def test_nothing_but_calls_in_the_place_of_comments_is_added() -> None:
    built = dict(sql_files(with_milestones))
    for name, text in sql_files(unchanged):
        back = CALL.sub(lambda found: f"-- milestone: {found[1]}", built[name])
        assert back.startswith(text)
        assert len(back) == len(text) or back[len(text) :].startswith("\ncreate function keepfact.milestone(")


def test_without_that_build_there_are_no_milestones() -> None:
    assert not any("keepfact.milestone(" in text for _, text in sql_files(unchanged))


def test_every_command_that_writes_can_be_stopped_before_it_locks_and_before_it_commits() -> None:
    names = {name for _, text in sql_files(with_milestones) for name in CALL.findall(text)}
    assert names == {"asked", "locking run", "locked run", "appending", "done, not committed"}
