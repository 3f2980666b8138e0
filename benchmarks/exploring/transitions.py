"""The transitions and the verdicts that every Python tool is given: the model's own, so that only the tools differ."""

from keepfact.model.explore import applicable
from keepfact.model.scopes.spine import CORE
from keepfact.model.state import State
from keepfact.model.walker import Edge, Walker
from keepfact.model.worlds import truth_is_possible
from keepfact.spec.chapter import Predicate

SCOPE = CORE


class Transitions:
    """Successors in canonical form, and what is wrong with an edge."""

    def __init__(self) -> None:
        self.walker = Walker(SCOPE)
        self.start: State = self.walker.start
        self._asked: dict[type, list[tuple[str, Predicate]]] = {}

    def first_broken(self, edge: Edge) -> str | None:
        """The first rule that an edge breaks. As in our explorer, only rules about this class of causes are asked."""
        before, step, after = edge
        for rule_id, holds in self._about(type(step.cause)):
            if holds(step) is False:
                return rule_id
        return None if after is before or truth_is_possible(after) else "truth is possible"

    def _about(self, cause: type) -> list[tuple[str, Predicate]]:
        if cause not in self._asked:
            self._asked[cause] = [(rule.id, rule.holds) for rule in applicable(SCOPE) if rule.is_about(cause)]
        return self._asked[cause]
