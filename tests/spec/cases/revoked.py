"""Who may read what was handed over, and what reading does."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    MaterialId,
    Reason,
    RunId,
    UserId,
)

from ..continuing import (
    SOURCE,
    SUMMARY,
    admitted,
    beside,
    handed,
    left,
    material,
    read_material,
    readers,
)
from ..steps import (
    DONE,
    LOST,
    accepts,
    call,
    is_silent,
    nothing,
    publish,
    refused,
    rejects,
    step,
    truth,
)
from .continuation import FIRST, HANDED, READ, USED, continued, working
from .findings import BOTH, NOT_READABLE, READABLE, STALE, SUMMED_UP, first, read, summed_up

DIGEST = MaterialId("digest")

SECOND = RunId("second")

SUMMARY_OF_FIRST = working(handed(SUMMARY))

CASES = [
    accepts(
        "CONTINUE.5",
        "a summary of what may be read",
        continued(left(material(), SUMMED_UP), admitted(handed(), handed(SUMMARY)), may_read=readers("web", "notes")),
    ),
    accepts(
        "CONTINUE.5",
        "only what may still be read",
        continued(left(material(), material(SUMMARY, "notes")), admitted(handed(SUMMARY)), may_read=readers("notes")),
    ),
    accepts(
        "CONTINUE.5",
        "a finding refused that nobody may read",
        beside(nothing(READ, HANDED, NOT_READABLE), left(material())),
    ),
    accepts(
        "CONTINUE.5",
        "a summary refused, since nobody may read all of it",
        beside(
            nothing(read_material(SUMMARY), working(handed(SUMMARY)), NOT_READABLE),
            left(material(), SUMMED_UP),
            readers=(*readers("web"), *readers("notes", user=UserId("other"))),
        ),
    ),
    rejects(
        "CONTINUE.5", "a finding whose grant was revoked", continued(left(material()), admitted(handed()), may_read=())
    ),
    rejects(
        "CONTINUE.5",
        "a summary of what may not be read",
        continued(left(material(), SUMMED_UP), admitted(handed(SUMMARY)), may_read=readers("notes")),
    ),
    rejects(
        "CONTINUE.5",
        "a summary of a summary of it",
        continued(
            left(material(), SUMMED_UP, material(DIGEST, "notes", derived_from=(SUMMARY,))),
            admitted(handed(DIGEST)),
            may_read=readers("notes"),
        ),
    ),
    rejects(
        "CONTINUE.5",
        "two summaries that derive from each other and from it",
        continued(
            left(material(derived_from=(SUMMARY,)), SUMMED_UP),
            admitted(handed(SUMMARY)),
            may_read=readers("notes"),
        ),
    ),
    accepts(
        "CONTINUE.5",
        "a summary of what its run was handed and may be read",
        continued(summed_up(), admitted(handed(run=FIRST), handed(SUMMARY)), DONE, first(material()), may_read=BOTH),
    ),
    accepts(
        "CONTINUE.5",
        "a summary of a finding of its run, which was also handed one that may not be read",
        continued(
            left(material(source="notes"), SUMMED_UP, inherited=(handed(run=FIRST),)),
            admitted(handed(), handed(SUMMARY)),
            DONE,
            first(material()),
            may_read=readers("notes"),
        ),
    ),
    accepts(
        "CONTINUE.5",
        "a summary of the first of two that were handed under one name, which may be read",
        continued(
            left(SUMMED_UP, inherited=(handed(run=FIRST), handed(run=SECOND))),
            admitted(handed(run=FIRST), handed(SUMMARY)),
            DONE,
            first(material(source="notes")),
            replace(first(material()), run=SECOND),
            may_read=readers("notes"),
        ),
    ),
    accepts(
        "CONTINUE.5",
        "a summary refused, since nobody may read what its run was handed",
        beside(
            nothing(read_material(SUMMARY), SUMMARY_OF_FIRST, NOT_READABLE),
            first(material()),
            summed_up(),
            readers=readers("notes"),
        ),
    ),
    rejects(
        "CONTINUE.5",
        "a summary of what its run was handed and may not be read",
        continued(summed_up(), admitted(handed(SUMMARY)), DONE, first(material()), may_read=readers("notes")),
    ),
    rejects(
        "CONTINUE.5",
        "the same beside a later finding under that name, which may be read",
        continued(
            summed_up(material(source="notes")),
            admitted(handed(SUMMARY), handed()),
            DONE,
            first(material()),
            may_read=readers("notes"),
        ),
    ),
    rejects(
        "CONTINUE.5",
        "a summary of what was handed on from run to run",
        continued(
            left(SUMMED_UP, inherited=(handed(run=SECOND),)),
            admitted(handed(SUMMARY)),
            DONE,
            replace(
                first(material(source="notes", derived_from=(DIGEST,)), inherited=(handed(DIGEST, run=FIRST),)),
                run=SECOND,
            ),
            first(material(DIGEST)),
            may_read=readers("notes"),
        ),
    ),
    rejects(
        "CONTINUE.5",
        "summaries of two runs that derive from each other",
        continued(
            summed_up(),
            admitted(handed(SUMMARY)),
            DONE,
            first(material(derived_from=(SUMMARY,)), inherited=(handed(SUMMARY, run=SOURCE),)),
            may_read=readers("notes"),
        ),
    ),
    rejects(
        "CONTINUE.5",
        "a summary read of what its run was handed and nobody may read",
        beside(
            step(read_material(SUMMARY), SUMMARY_OF_FIRST, read(working(), handed(SUMMARY, reads=1), name=SUMMARY)),
            first(material()),
            summed_up(),
            readers=readers("notes"),
        ),
    ),
    rejects(
        "CONTINUE.5",
        "a finding read that nobody may read",
        beside(step(READ, HANDED, read(HANDED, USED)), left(material())),
    ),
    rejects(
        "CONTINUE.5",
        "the same unheard",
        beside(step(READ, HANDED, read(HANDED, USED), LOST), left(material())),
    ),
    rejects(
        "CONTINUE.5",
        "a summary read of which nobody may read all",
        beside(
            step(
                read_material(SUMMARY),
                working(handed(SUMMARY)),
                read(working(handed(SUMMARY)), handed(SUMMARY, reads=1), name=SUMMARY),
            ),
            left(material(), SUMMED_UP),
            readers=readers("notes"),
        ),
    ),
    is_silent("CONTINUE.5", "nothing is handed over", continued()),
    is_silent(
        "CONTINUE.5",
        "somebody may read it",
        beside(step(READ, HANDED, read(HANDED, USED)), left(material()), **READABLE),
    ),
    is_silent("CONTINUE.5", "it was not handed over", nothing(READ, working(), refused(Reason.NO_SUCH_MATERIAL))),
    is_silent("CONTINUE.5", "the reader never arrived", beside(nothing(READ, HANDED, LOST), left(material()))),
    is_silent("CONTINUE.5", "it was read before", beside(nothing(READ, HANDED, DONE, repeats=DONE), left(material()))),
    is_silent("CONTINUE.5", "a body is published", nothing(publish(), HANDED, LOST)),
    accepts("CONTINUE.7", "one more use", beside(step(READ, HANDED, read(HANDED, USED)), left(material()), **READABLE)),
    accepts(
        "CONTINUE.7",
        "another use of one of two, unheard",
        beside(
            step(READ, working(USED, handed(SUMMARY)), read(working(), handed(reads=2), handed(SUMMARY)), LOST),
            left(material(), material(SUMMARY)),
            **READABLE,
        ),
    ),
    rejects("CONTINUE.7", "a source that is asked again", step(READ, HANDED, read(HANDED, USED), truth=truth())),
    rejects("CONTINUE.7", "a call that is born", step(READ, HANDED, read(HANDED, USED, calls=(call(),)))),
    rejects("CONTINUE.7", "a material computed again", step(READ, HANDED, read(HANDED, USED, materials=(material(),)))),
    rejects("CONTINUE.7", "a label that changes", step(READ, HANDED, read(HANDED, handed(label=STALE, reads=1)))),
    rejects("CONTINUE.7", "a cost", step(READ, HANDED, read(HANDED, USED, known_cents=1))),
    rejects("CONTINUE.7", "the same unheard", step(READ, HANDED, read(HANDED, USED, known_cents=1), LOST)),
    rejects("CONTINUE.7", "a use that is not counted", step(READ, HANDED, read(HANDED, handed()))),
    rejects("CONTINUE.7", "a use counted twice", step(READ, HANDED, read(HANDED, handed(reads=2)))),
    rejects("CONTINUE.7", "a use that is not told", step(READ, HANDED, working(USED))),
    rejects("CONTINUE.7", "a use told of another", step(READ, HANDED, read(HANDED, USED, name=SUMMARY))),
    rejects("CONTINUE.7", "a use of nothing", nothing(READ, HANDED, DONE)),
    rejects(
        "CONTINUE.7",
        "a use counted for another",
        step(READ, working(handed(), handed(SUMMARY)), read(working(), handed(), handed(SUMMARY, reads=1))),
    ),
    is_silent("CONTINUE.7", "it is refused", nothing(READ, HANDED, NOT_READABLE)),
    is_silent("CONTINUE.7", "it was read before", nothing(READ, HANDED, DONE, repeats=DONE)),
    is_silent("CONTINUE.7", "a body is published", nothing(publish(), HANDED, LOST)),
]
