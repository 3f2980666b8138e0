"""What was answered to each command, so that a repeated one is known as such."""

from keepfact.spec.vocabulary import Asked, Cause, Done, Lost, Outcome


class Answers:
    """The answers given so far within one trace. A command repeats another if it is the same, its id included."""

    def __init__(self) -> None:
        self._known: dict[Cause, Outcome] = {}

    def before(self, cause: Cause) -> Outcome | None:
        """What the same command was answered before: Done or Lost; None for a first time."""
        return self._known.get(cause) if isinstance(cause, Asked) else None

    def remember(self, cause: Cause, outcome: Outcome | None) -> None:
        """A refusal is not remembered: asked again, it is a new question. A lost answer may have been a Done."""
        if isinstance(cause, Asked) and isinstance(outcome, Done | Lost) and not isinstance(self.before(cause), Done):
            self._known[cause] = outcome
