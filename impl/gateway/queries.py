"""What may stand behind the question mark of a reading, read from text."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from .bodies.fields import INTEGER_MAX, Id

After = Annotated[int, Field(ge=0, le=INTEGER_MAX, description="the number of the last event that is known")]
Limit = Annotated[int, Field(ge=1, le=10_000, description="so many at most; the gateway may give fewer")]


class Query(BaseModel):
    """No others are taken."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ObserveQuery(Query):
    """Read a run, with the payloads of its events if asked for."""

    payloads: bool = False


class EventsQuery(Query):
    """Read a page of a run's events, those after a number."""

    after: After = 0
    limit: Limit = 100


class StreamQuery(Query):
    """Have a run's events streamed as they are committed, from a number on; a Last-Event-ID header counts more."""

    after: After = 0


class ListQuery(Query):
    """Read a page of the runs, in order of admission, those after a run."""

    after: Id | None = None
    limit: Limit = 100
