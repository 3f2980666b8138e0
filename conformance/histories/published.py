"""What a line of a history of steps looks like, for whoever writes one: spec/schemas/step.json."""

from pydantic import BaseModel, ConfigDict

from keepfact.spec.named import NamedCause, NamedOutcome
from keepfact.spec.vocabulary import Observation, Session, Truth


class PublishedStep(BaseModel):
    """One line. `before` is what was shown after the step before it; a happening has no outcome.

    `truth` is what happened outside until then, as servers there recorded it; leave both out where nobody knows.
    `repeats` is what the same command was answered before, and `session` who asked, where that is known.
    """

    model_config = ConfigDict(extra="forbid")

    before: Observation
    cause: NamedCause
    outcome: NamedOutcome | None
    after: Observation
    truth_before: Truth | None = None
    truth: Truth | None = None
    repeats: NamedOutcome | None = None
    session: Session | None = None
