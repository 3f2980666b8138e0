"""Evidence in which every place that takes text from outside holds what would do harm if it were more than text."""

from pathlib import Path

from keepfact.conformance.evidence import (
    DefectRecord,
    ExperimentRecord,
    FaultRecord,
    LockstepRecord,
    MarkRecord,
    MeetingsRecord,
    NotShownRecord,
    Record,
    VerdictRecord,
    WrittenRecord,
)
from keepfact.conformance.verdicts import Level, Verdict

from .sample import header, scope, story, verdicts, write

HOSTILE = "<script>alert(1)</script>\x1b[31mred\x1b[0m \u202egnp.exe\u202c nul:\x00 ]]> '\"&amp; {{ 7*7 }}"


def hostile(directory: Path) -> Path:
    """Every place that takes text from outside holds text that would do harm if it were more than text."""
    records: list[Record] = [
        scope(HOSTILE),
        DefectRecord(name=HOSTILE, predicted=(HOSTILE,), killed_by=()),
        LockstepRecord(
            traces=1,
            steps=1,
            outcomes={HOSTILE: {HOSTILE: 1}},
            covered=1,
            reachable=1,
            beyond=0,
            verdict=Verdict.HOLDS,
            note=HOSTILE,
        ),
        MeetingsRecord(
            known=1, pairs=1, meetings=1, preemptions=1, races=1, undecided=0, verdict=Verdict.HOLDS, note=HOSTILE
        ),
        FaultRecord(experiment=HOSTILE, trace=HOSTILE, seam=HOSTILE, side=HOSTILE, delivered=True, proof=HOSTILE),
        MarkRecord(trace=HOSTILE, lane=HOSTILE, at_ms=-5, shape=HOSTILE, text=HOSTILE),
        WrittenRecord(
            experiment=HOSTILE,
            transactions=1,
            of_the_harness=1,
            rows={HOSTILE: {HOSTILE: 1}},
            objections=(HOSTILE,),
            verdict=Verdict.HOLDS,
            note=HOSTILE,
        ),
        ExperimentRecord(
            name=HOSTILE, fault=HOSTILE, seams=(HOSTILE,), runs=1, delivered=1, verdict=Verdict.HOLDS, note=HOSTILE
        ),
        story(
            rule_id=HOSTILE, trace=HOSTILE, expected=HOSTILE, seen="x" * 50_000 + HOSTILE, replay=f"a b; {HOSTILE}.py"
        ),
        NotShownRecord(text=HOSTILE),
        *verdicts(),
        VerdictRecord(
            rule=HOSTILE,
            digest=HOSTILE,
            chapter=HOSTILE,
            sentence=HOSTILE,
            verdict=Verdict.HOLDS,
            exercised={HOSTILE: 1},
            violations=1,
            caught=(HOSTILE,),
            reason=HOSTILE,
        ),
    ]
    first = header(system=HOSTILE, command=HOSTILE).model_copy(
        update={"machine": {HOSTILE: HOSTILE}, "versions": {HOSTILE: HOSTILE}, "profile": HOSTILE}
    )
    return write(directory, records, Verdict.HOLDS, Level.FULL, first)
