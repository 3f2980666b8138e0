"""Systems in another process: what is right agrees, what is wrong is caught by the rule that catches it in here."""

import pytest

from keepfact.conformance.replay import replay
from keepfact.conformance.systems import open_system
from keepfact.conformance.systems.reference import Reference
from keepfact.conformance.trial import RuleBrokenError

from .searching import searched
from .serving import adapter_process


def test_the_reference_in_another_process_agrees_and_is_what_it_is_in_here() -> None:
    with adapter_process("reference") as url:
        system, here = open_system(url), Reference()
        for name in ("name", "lease_seconds", "contracts", "capabilities"):
            assert getattr(system, name) == getattr(here, name)
        assert system.versions() == here.versions()
        found = searched(system, traces=12)
        system.close()
        again = open_system(url)  # it serves whoever comes next
        assert again.observe([]) == here.observe([])
        again.close()
    assert found.failures == []
    assert found.outcomes == searched(here, traces=12).outcomes  # step by step the same
    assert len(found.outcomes) > 15


def test_what_is_wrong_in_another_process_is_caught_and_can_be_replayed_there() -> None:
    with adapter_process("toys:TakesLapsedRuns") as url:
        system = open_system(url)
        (failure,) = searched(system, traces=60).failures
        system.close()
        assert "ENTRY.4" in failure.rules
        with pytest.raises(RuleBrokenError, match=r"ENTRY\.4"):
            replay(url, failure.moves)
