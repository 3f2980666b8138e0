"""Every reason for which the store refuses has its status and its rule, and one that nobody knew yet is told too."""

import re
from typing import Any

from keepfact.impl.gateway.refusals import REFUSALS
from keepfact.impl.outcomes import Outcome, Refused
from keepfact.impl.schema import Schema
from keepfact.impl.store import Store
from keepfact.spec.entry_points import RULE_OF

from .served import problem, served

OF_LOGINS = {"not_allowed"}
"""What is refused before any function of ours is called."""

FUNCTIONS = dict(Schema().functions())


def test_each_reason_of_the_book_has_a_status_and_its_rule() -> None:
    assert {reason: refusal.rule for reason, refusal in REFUSALS.items()} == RULE_OF


def test_each_reason_that_a_function_of_the_store_gives_has_an_entry_and_there_are_no_others() -> None:
    assert _reasons() | OF_LOGINS == REFUSALS.keys()


def _reasons() -> set[str]:
    """What is written where it comes to `refused`: in its arguments, or in a function that these ask for a reason."""
    reasons: set[str] = set()
    asked: set[str] = set()
    texts = [text for function in FUNCTIONS.values() for text in _refusals(function)]
    while texts:
        text = texts.pop()
        reasons |= set(re.findall(r"(?:^|then|else|return)\s*'(\w+)'", text))
        guards = {name for name in re.findall(r"keepfact\.(\w+)\(", text) if "returns text\n" in FUNCTIONS[name]}
        texts += [FUNCTIONS[name] for name in guards - asked]
        asked |= guards
    return reasons


def _refusals(function: str) -> list[str]:
    """The arguments of each `refused`."""
    return [_to_its_end(rest) for rest in function.partition("$$")[2].split("keepfact.refused(")[1:]]


def _to_its_end(text: str) -> str:
    """As far as the bracket that closes what was opened before."""
    level = 1
    for place, letter in enumerate(text):
        level += {"(": 1, ")": -1}.get(letter, 0)
        if level == 0:
            return text[:place]
    raise ValueError(text)


class Newer(Store):
    """A store whose functions are of a release that came after this gateway's."""

    def __init__(self) -> None:
        super().__init__({})

    def perform(self, command: str, **_: Any) -> Outcome:
        return Refused("moon_is_full", ("r",))


def test_a_reason_of_a_later_release_is_a_refusal_as_well() -> None:
    """Functions are exchanged below a gateway that goes on serving. It is certain that nothing happened: not lost."""
    with served(Newer()) as client:
        refused = client.do("/v1/runs/r/cancel")
        assert problem(refused) == (409, "moon_is_full")
        assert (refused.json()["outcome"], refused.json()["runs"]) == ("refused", ["r"])
        assert "rule" not in refused.json()
