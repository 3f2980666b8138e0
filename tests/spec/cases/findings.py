"""What is handed over to a run that continues another, and who may read it."""

from dataclasses import replace
from typing import Any

from keepfact.spec.vocabulary import (
    EventType,
    Fence,
    InheritedView,
    Label,
    MaterialId,
    MaterialView,
    Reason,
    RunView,
    UserId,
)

from ..continuing import (
    FINDING,
    SUMMARY,
    admitted,
    beside,
    handed,
    left,
    material,
    readers,
)
from ..steps import (
    DONE,
    LOST,
    accepts,
    is_silent,
    nothing,
    publish,
    refused,
    rejects,
    step,
    then,
)
from .continuation import ELSEWHERE, FIRST, HANDED, READ, TAKEN, USED, continued, not_continued, working

SUMMED_UP = material(SUMMARY, "notes", derived_from=(FINDING,))

BOTH = readers("web", "notes")

STALE, SUPERSEDED, JUDGEMENT = Label.STALE, Label.SUPERSEDED, Label.JUDGEMENT

NOT_READABLE = refused(Reason.NOT_READABLE)


def first(*materials: MaterialView, **fields: Any) -> RunView:
    """The run that SOURCE continues."""
    return replace(left(*materials, **fields), run=FIRST)


def summed_up(*later: MaterialView, **fields: Any) -> RunView:
    """SOURCE, which sums up what FIRST handed to it."""
    return left(SUMMED_UP, *later, inherited=(handed(run=FIRST),), **fields)


def read(before: RunView, *inherited: InheritedView, name: MaterialId = FINDING, **fields: Any) -> RunView:
    return then(before, (EventType.SAVED, name), inherited=inherited, **fields)


READABLE = {"readers": readers("web")}

UNSOUND = {
    "of no time": material(as_of=None),
    "saved under no fence": material(fence=0),
    "saved under a fence that was never granted": material(fence=2),
    "derived from what cannot be found": material(derived_from=(SUMMARY,)),
}

CASES = [
    accepts("CONTINUE.3", "a finding that may be read", continued(left(material()), admitted(handed()))),
    accepts(
        "CONTINUE.3",
        "a finding that was handed to the old run",
        continued(
            left(inherited=(handed(run=FIRST, reads=2),)),
            admitted(handed(run=FIRST)),
            DONE,
            replace(left(material()), run=FIRST),
        ),
    ),
    accepts(
        "CONTINUE.3",
        "a handed finding that is read",
        beside(step(READ, HANDED, read(HANDED, USED)), left(material()), **READABLE),
    ),
    accepts(
        "CONTINUE.3",
        "a finding refused that was not handed over",
        nothing(READ, working(), refused(Reason.NO_SUCH_MATERIAL)),
    ),
    *(
        rejects("CONTINUE.3", f"a finding {what}", continued(left(view), admitted(handed())))
        for what, view in UNSOUND.items()
    ),
    rejects(
        "CONTINUE.3",
        "a summary of something of no time",
        continued(left(material(as_of=None), SUMMED_UP), admitted(handed(SUMMARY)), may_read=readers("web", "notes")),
    ),
    accepts(
        "CONTINUE.3",
        "a summary of what the old run was handed",
        continued(summed_up(), admitted(handed(run=FIRST), handed(SUMMARY)), DONE, first(material()), may_read=BOTH),
    ),
    *(
        rejects(
            "CONTINUE.3",
            f"a summary of what the old run was handed, {what}",
            continued(summed_up(fence=Fence(2)), admitted(handed(SUMMARY)), DONE, first(view), may_read=BOTH),
        )
        for what, view in UNSOUND.items()
    ),
    rejects(
        "CONTINUE.3",
        "a summary of what a run handed over that is not there",
        continued(summed_up(), admitted(handed(SUMMARY)), may_read=BOTH),
    ),
    rejects(
        "CONTINUE.3",
        "a finding whose source may not be read",
        continued(left(material()), admitted(handed()), may_read=()),
    ),
    rejects(
        "CONTINUE.3",
        "a finding whose source another may read",
        continued(left(material()), admitted(handed()), may_read=readers("web", user=UserId("other"))),
    ),
    rejects("CONTINUE.3", "a finding that nobody saved", continued(left(), admitted(handed()))),
    rejects(
        "CONTINUE.3",
        "a finding told of a run that did not save it",
        continued(left(material()), admitted(handed(run=FIRST))),
    ),
    rejects(
        "CONTINUE.3",
        "a finding of a third run",
        continued(left(), admitted(handed(run=FIRST)), DONE, replace(left(material()), run=FIRST)),
    ),
    rejects(
        "CONTINUE.3", "a finding of another tenant", continued(left(material(), tenant=ELSEWHERE), admitted(handed()))
    ),
    rejects("CONTINUE.3", "a finding handed over twice", continued(left(material()), admitted(handed(), handed()))),
    rejects("CONTINUE.3", "a finding that comes as read", continued(left(material()), admitted(handed(reads=1)))),
    rejects("CONTINUE.3", "a finding read that was not handed over", step(READ, working(), read(working()))),
    rejects("CONTINUE.3", "the same said to be read", nothing(READ, working(), DONE)),
    rejects("CONTINUE.3", "a handed finding denied", nothing(READ, HANDED, refused(Reason.NO_SUCH_MATERIAL))),
    is_silent("CONTINUE.3", "nothing is handed over", continued()),
    is_silent("CONTINUE.3", "the reader never arrived", nothing(READ, working(), LOST)),
    is_silent("CONTINUE.3", "the reader is refused for another reason", nothing(READ, HANDED, NOT_READABLE)),
    is_silent("CONTINUE.3", "no run reads it", nothing(READ, None, refused(Reason.NO_SUCH_RUN))),
    is_silent("CONTINUE.3", "a body is published", nothing(publish(), HANDED, LOST)),
    accepts("CONTINUE.4", "a fresh finding called current", continued(left(material()), admitted(handed()))),
    accepts(
        "CONTINUE.4", "an old finding called stale", continued(left(material(fresh=0)), admitted(handed(label=STALE)))
    ),
    accepts(
        "CONTINUE.4",
        "a replaced finding called superseded",
        continued(
            left(material(fresh=0), material(SUMMARY, replaces=FINDING)),
            admitted(handed(label=SUPERSEDED), handed(SUMMARY)),
        ),
    ),
    accepts(
        "CONTINUE.4",
        "a finding that has grown stale since it was handed over first",
        continued(
            left(inherited=(handed(run=FIRST),)),
            admitted(handed(label=STALE, run=FIRST)),
            DONE,
            replace(left(material(fresh=0)), run=FIRST),
        ),
    ),
    rejects("CONTINUE.4", "an old finding called current", continued(left(material(fresh=0)), admitted(handed()))),
    rejects("CONTINUE.4", "a fresh finding called stale", continued(left(material()), admitted(handed(label=STALE)))),
    rejects(
        "CONTINUE.4", "a finding called superseded", continued(left(material()), admitted(handed(label=SUPERSEDED)))
    ),
    rejects(
        "CONTINUE.4",
        "a replaced finding called current",
        continued(left(material(), material(SUMMARY, replaces=FINDING)), admitted(handed(), handed(SUMMARY))),
    ),
    rejects(
        "CONTINUE.4",
        "a replaced finding called stale",
        continued(
            left(material(fresh=0), material(SUMMARY, replaces=FINDING)),
            admitted(handed(label=STALE), handed(SUMMARY)),
        ),
    ),
    rejects(
        "CONTINUE.4",
        "an old judgement called only a judgement",
        continued(left(material(fresh=0, judgement=True)), admitted(handed(label=JUDGEMENT))),
    ),
    rejects("CONTINUE.4", "a stale finding that is kept back", continued(left(material(fresh=0)))),
    rejects(
        "CONTINUE.4",
        "a replaced finding that is kept back",
        continued(left(material(), material(SUMMARY, replaces=FINDING)), admitted(handed(SUMMARY))),
    ),
    rejects(
        "CONTINUE.4",
        "a summary of what was handed that is kept back",
        continued(summed_up(), admitted(handed(run=FIRST)), DONE, first(material()), may_read=BOTH),
    ),
    rejects("CONTINUE.4", "a finding that cannot be found", continued(left(), admitted(handed()))),
    is_silent("CONTINUE.4", "there is no material", continued()),
    is_silent("CONTINUE.4", "there is none that may be read", continued(left(material()), may_read=())),
    is_silent("CONTINUE.4", "there is none that is sound", continued(left(material(as_of=None)))),
    is_silent("CONTINUE.4", "it is refused", not_continued(left(material()), TAKEN)),
    is_silent(
        "CONTINUE.4", "it is read", beside(step(READ, HANDED, read(HANDED, USED)), left(material(fresh=0)), **READABLE)
    ),
    accepts(
        "CONTINUE.6",
        "a judgement called one",
        continued(left(material(judgement=True)), admitted(handed(label=JUDGEMENT))),
    ),
    accepts(
        "CONTINUE.6",
        "an old judgement called stale",
        continued(left(material(judgement=True, fresh=0)), admitted(handed(label=STALE))),
    ),
    rejects("CONTINUE.6", "a judgement called current", continued(left(material(judgement=True)), admitted(handed()))),
    rejects(
        "CONTINUE.6",
        "the same unheard",
        continued(left(material(judgement=True)), admitted(handed()), LOST),
    ),
    rejects(
        "CONTINUE.6", "a finding called a judgement", continued(left(material()), admitted(handed(label=JUDGEMENT)))
    ),
    rejects(
        "CONTINUE.6",
        "a judgement handed on as current",
        continued(
            left(inherited=(handed(run=FIRST, label=JUDGEMENT),)),
            admitted(handed(run=FIRST)),
            DONE,
            replace(left(material(judgement=True)), run=FIRST),
        ),
    ),
    is_silent("CONTINUE.6", "nothing is a judgement", continued(left(material()), admitted(handed()))),
    is_silent("CONTINUE.6", "it is refused", not_continued(left(material(judgement=True)), TAKEN)),
    is_silent("CONTINUE.6", "a body is published", nothing(publish(), HANDED, LOST)),
]
