"""The mechanism of rules: one sentence, one predicate that may stay silent, one id that is never reused."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from types import UnionType

from keepfact.spec.vocabulary import Capability, Contract, Step

Predicate = Callable[[Step], bool | None]
"""True: the rule was put to the test and held. False: it was broken. None: the step does not concern it."""

BOTH = frozenset(Contract)
SETTLE = frozenset({Contract.SETTLE})
RESUME = frozenset({Contract.RESUME})


class Kind(StrEnum):
    """Conformance must hold; latitude is a choice, recorded per system; platform is given by the environment."""

    CONFORMANCE = "conformance"
    LATITUDE = "latitude"
    PLATFORM = "platform"


class Resume(StrEnum):
    """The properties of the published Resume Contract that a rule may imply."""

    PREFIX_CONTINUATION = "PC"
    EFFECT_EXACTLY_ONCE = "EO"
    FORK_DETERMINISM = "FD"
    CHECKPOINT_VALIDITY = "CV"
    CONSUME_ONCE = "CO"
    RECOVERY_DETERMINISM = "RD"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of the book. `digest` changes when the sentence does, and makes older evidence for it suspect.

    `needs_world`: it is about what servers outside saw; where the harness itself plays the outside it would only judge
    the harness. `about` are the causes that it can have something to say of; None stands for all. `needs` are the
    capabilities of which a system must offer one for the rule to apply; with none it applies to every system. A rule
    `of_changes` has nothing to say of a step in which nothing changed, neither in what is shown nor outside.
    """

    id: str
    chapter: str
    number: int
    name: str
    where: str
    sentence: str
    digest: str
    contracts: frozenset[Contract]
    kind: Kind
    implies: Resume | None
    needs_world: bool
    about: type | UnionType | None
    needs: frozenset[Capability]
    of_changes: bool
    holds: Predicate
    """The predicate; silent about runs under a contract that the rule does not belong to."""

    def is_about(self, cause: type) -> bool:
        """Whether it can have something to say of causes of this class. Where it cannot, nobody need ask it."""
        return self.about is None or issubclass(cause, self.about)

    def applies_to(self, contracts: frozenset[Contract], capabilities: frozenset[Capability]) -> bool:
        """Whether a system with these contracts and capabilities can be held to it."""
        return bool(self.contracts & contracts) and (not self.needs or bool(self.needs & capabilities))


@dataclass(frozen=True)
class Chapter:
    """A chapter collects its rules as its module is read; a rule's docstring is the published sentence."""

    name: str
    title: str
    needs: frozenset[Capability] = frozenset()
    rules: list[Rule] = field(default_factory=list)

    def rule(
        self,
        number: int,
        *,
        contracts: frozenset[Contract] = BOTH,
        kind: Kind = Kind.CONFORMANCE,
        implies: Resume | None = None,
        needs_world: bool = False,
        about: type | UnionType | None = None,
        needs: Iterable[Capability] | None = None,
        of_changes: bool = False,
    ) -> Callable[[Predicate], Predicate]:
        """Publish the decorated predicate as this chapter's rule of that number; it needs what its chapter needs."""

        def publish(predicate: Predicate) -> Predicate:
            sentence = " ".join((predicate.__doc__ or "").split())
            if not sentence:
                raise ValueError(f"expected {self.name}.{number} to say its sentence in a docstring, but it has none")
            if any(rule.number == number for rule in self.rules):
                raise ValueError(f"expected {self.name}.{number} once, but it is published twice")
            self.rules.append(
                Rule(
                    id=f"{self.name}.{number}",
                    chapter=self.name,
                    number=number,
                    name=predicate.__name__,
                    where=f"{predicate.__module__}.{predicate.__name__}",
                    sentence=sentence,
                    digest=hashlib.sha256(sentence.encode()).hexdigest()[:12],
                    contracts=contracts,
                    kind=kind,
                    implies=implies,
                    needs_world=needs_world,
                    about=about,
                    needs=self.needs if needs is None else frozenset(needs),
                    of_changes=of_changes,
                    holds=predicate if contracts == BOTH else _only_under(contracts, predicate),
                )
            )
            return predicate

        return publish


def _only_under(contracts: frozenset[Contract], predicate: Predicate) -> Predicate:
    def holds(step: Step) -> bool | None:
        run = step.old or step.new
        return None if run is not None and run.contract not in contracts else predicate(step)

    return holds
