"""A folder of wrong systems on the path, a real proof that rules can fail, and whole verifications in memory."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from keepfact.conformance.concluding import Conclusion
from keepfact.conformance.evidence import EvidenceReader, EvidenceWriter, LockstepRecord, Record
from keepfact.conformance.profiles import Profile
from keepfact.conformance.proof import SelfTest
from keepfact.conformance.selftest import fitting_defects, fitting_scopes, hunt
from keepfact.conformance.system import System
from keepfact.conformance.systems import open_system
from keepfact.conformance.verification import Verification
from keepfact.spec.vocabulary import Capability, Contract

from ..sharing import made_once, shared_folder

SEED = 20_251
SPINE_ONLY = (frozenset({Contract.SETTLE}), frozenset[Capability]())
"""The contracts and capabilities of most toys."""


@dataclass(frozen=True)
class Verified:
    """What came of a verification, and where its evidence is."""

    directory: Path
    lockstep: LockstepRecord
    conclusion: Conclusion

    @property
    def records(self) -> list[Record]:
        return list(EvidenceReader(self.directory))

    def verdict_of(self, rule: str) -> str:
        return next(str(record.verdict) for record in self.conclusion.rules if record.rule == rule)


Verify = Callable[[str], Verified]


@pytest.fixture(autouse=True)
def toys_are_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


@pytest.fixture(scope="session")
def proof(tmp_path_factory: pytest.TempPathFactory) -> SelfTest:
    """Every defect of the model that a system of the spine could have, hunted; its scopes are explored elsewhere.

    Of several pytest processes the first one hunts, and the others wait for it.
    """
    scopes = fitting_scopes(*SPINE_ONLY)
    hunted = lambda: SelfTest((), tuple(hunt(defect, scopes) for defect in fitting_defects(*SPINE_ONLY)))  # noqa: E731
    proof: SelfTest = made_once(shared_folder(tmp_path_factory), "proof", hunted)
    return proof


@pytest.fixture
def opened() -> Iterator[Callable[[str], System]]:
    """Systems by name, closed at the end of the test."""
    systems: list[System] = []

    def open_it(name: str) -> System:
        systems.append(open_system(name))
        return systems[-1]

    yield open_it
    for system in systems:
        system.close()


@pytest.fixture
def verify(tmp_path: Path, proof: SelfTest, opened: Callable[[str], System]) -> Verify:
    """The lockstep part of `keepfact verify`, with its evidence, proof and verdict."""

    def run(name: str) -> Verified:
        directory = tmp_path / "evidence"
        with EvidenceWriter(directory) as evidence:
            verification = Verification(opened(name), evidence, Profile.QUICK, SEED, name)
            lockstep = verification.lockstep()
            verification.selftest(proof)
            return Verified(directory, lockstep, verification.conclude())

    return run
