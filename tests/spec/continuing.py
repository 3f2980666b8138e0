"""Steps written by hand, of what is kept beyond one run, and of what one run leaves to another."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from keepfact.spec.vocabulary import (
    Continue,
    Contract,
    EntryPoint,
    EventType,
    Fence,
    InheritedView,
    Label,
    MaterialId,
    MaterialView,
    PayloadView,
    Purge,
    ReaderView,
    ReadMaterial,
    Replay,
    RequestId,
    RunId,
    RunState,
    RunView,
    SaveMaterial,
    SourceId,
    Step,
    Stream,
    UserId,
)

from .steps import ID, RUN, run, then

SOURCE = RunId("source")
FINDING = MaterialId("finding")
SUMMARY = MaterialId("summary")
USER = UserId("user")


def beside(step: Step, *runs: RunView, after: Mapping[str, Any] | None = None, **kept: Any) -> Step:
    """The same step beside these older runs, with these things kept beyond one run; `after` is what of them changes."""
    return replace(
        step,
        before=replace(step.before, runs=(*runs, *step.before.runs), **kept),
        after=replace(step.after, runs=(*runs, *step.after.runs), **{**kept, **(after or {})}),
    )


def stream(after: int) -> Stream:
    return Stream(ID, RUN, after)


def replay(host: str = "host") -> Replay:
    return Replay(ID, RUN, host)


def payload(text: str, *, version: int = 1, characters: int | None = None) -> PayloadView:
    """A text as it is kept; its length as it is, unless it is said."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    return PayloadView(digest, version, len(text) if characters is None else characters)


def purge(text: str) -> Purge:
    return Purge(ID, payload(text).digest)


def continue_(*, request: str | None = None, run: RunId = RUN) -> Continue:
    return Continue(ID, run, SOURCE, USER, Contract.SETTLE, 10, request and RequestId(request))


def material(
    name: MaterialId = FINDING,
    source: str = "web",
    *,
    fence: int = 1,
    as_of: str | None = "yesterday",
    fresh: int = 60,
    derived_from: tuple[MaterialId, ...] = (),
    replaces: MaterialId | None = None,
    judgement: bool = False,
) -> MaterialView:
    lineage = (derived_from, replaces, judgement)
    return MaterialView(name, SourceId(source), "digest", Fence(fence), as_of, fresh, *lineage)


def left(*materials: MaterialView, state: RunState = RunState.FAILED, **fields: Any) -> RunView:
    """The run that is continued, and what it saved."""
    return replace(run(state, name=SOURCE), materials=materials, **fields)


def handed(
    name: MaterialId = FINDING, label: Label = Label.CURRENT, *, run: RunId = SOURCE, reads: int = 0
) -> InheritedView:
    return InheritedView(name, run, label, reads)


def admitted(*inherited: InheritedView, **fields: Any) -> RunView:
    """A run that continues SOURCE, as it was admitted, with these materials handed over."""
    bare = replace(run(RunState.QUEUED), history=(), continues=SOURCE)
    return then(bare, EventType.ADMITTED, by=EntryPoint.CONTINUE, inherited=inherited, **fields)


def readers(*sources: str, user: UserId = USER) -> tuple[ReaderView, ...]:
    """These sources may be read."""
    return tuple(ReaderView(SourceId(source), user) for source in sources)


def read_material(name: MaterialId = FINDING) -> ReadMaterial:
    return ReadMaterial(ID, RUN, Fence(1), name)


def save_material(
    name: MaterialId = FINDING, *, derived_from: tuple[MaterialId, ...] = (), replaces: MaterialId | None = None
) -> SaveMaterial:
    return SaveMaterial(ID, RUN, Fence(1), name, SourceId("web"), "digest", "yesterday", 60, derived_from, replaces)
