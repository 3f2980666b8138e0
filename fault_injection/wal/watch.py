"""Watches over an experiment: whatever is written meanwhile is held against the authority table, and summed up."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager

from keepfact.conformance.abilities import KeepsALog, WriteAheadLog
from keepfact.conformance.evidence import EvidenceWriter, WrittenRecord
from keepfact.conformance.judge import Judge, Violation
from keepfact.conformance.system import System
from keepfact.conformance.verdicts import Verdict
from keepfact.spec.vocabulary import NOTHING, Observation, RunId, Step, WorkerRan

from . import authority
from .witness import Transaction, Witness, WitnessLostError, WitnessUnavailableError

RULE = "ENTRY.2"
"""What the log can show broken: every durable change belongs to one entry point, and the authority table allows it."""

EXPECTED = "one entry point signs each transaction, and writes in it only what the authority table allows"
TOLD_MAX = 20
UNKNOWN = "unknown"


class Watch:
    """Sees each transaction once, and judges it at once."""

    def __init__(self, experiment: str, witness: Witness, log: WriteAheadLog, judge: Judge) -> None:
        self._experiment, self._witness, self._log, self._judge = experiment, witness, log, judge
        self._transactions = self._of_the_harness = 0
        self._rows: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._objections: list[str] = []

    def renew(self) -> None:
        """Go on after the server was killed, and the witness with it. Raises WitnessUnavailableError."""
        self.close()
        self._witness = Witness(self._log.dsn, self._log.schemas)

    def close(self) -> None:
        """Let the witness go."""
        self._witness.close()

    def news(self) -> tuple[Transaction, ...]:
        """What the system has written since the last time this was asked."""
        written = []
        for transaction in self._witness.writes():
            if authority.is_of_the_harness(transaction, self._log):
                self._of_the_harness += 1
            else:
                self._see(transaction)
                written.append(transaction)
        return tuple(written)

    def is_heartbeat(self, transaction: Transaction) -> bool:
        """It gave a worker its lease anew, and is signed so."""
        return authority.is_heartbeat(transaction, self._log)

    def record(self) -> WrittenRecord:
        """What was seen, news included, as long as there was anything to be seen."""
        try:
            self.news()
        except WitnessLostError as error:
            return self._record(Verdict.VIOLATED if self._objections else Verdict.INCONCLUSIVE, str(error))
        return self._record(*self._verdict())

    def _record(self, verdict: Verdict, note: str) -> WrittenRecord:
        return WrittenRecord(
            experiment=self._experiment,
            transactions=self._transactions,
            of_the_harness=self._of_the_harness,
            rows={door: dict(counted) for door, counted in self._rows.items()},
            judged=0 if self._log.prefix is None else self._transactions,
            objected=len(self._objections),
            objections=tuple(self._objections[:TOLD_MAX]),
            verdict=verdict,
            note=note,
        )

    def _see(self, transaction: Transaction) -> None:
        self._transactions += 1
        door = authority.door_of(transaction, self._log) or UNKNOWN
        self._rows[door].update(authority.said_of(row) for row in transaction.rows)
        if self._log.prefix is None:
            return
        if objections := tuple(authority.objections(transaction, self._log)):
            seen = f"transaction {transaction.xid}: {'; '.join(objections)}"
            self._objections.append(seen)
            self._judge.convict(_violation(authority.run_of(transaction, self._log), seen))
        else:
            self._judge.acquit(RULE)

    def _verdict(self) -> tuple[Verdict, str]:
        if self._log.prefix is None:
            return Verdict.NOT_APPLICABLE, "the system signs nothing that it writes, so the writer is unknown"
        if not self._transactions:
            return Verdict.NOT_EXERCISED, "the system wrote nothing"
        if not self._objections:
            return Verdict.HOLDS, ""
        more = len(self._objections) - TOLD_MAX
        return Verdict.VIOLATED, f"there are {more} more objections" if more > 0 else ""


@contextmanager
def watched(
    experiment: str, system: System, judge: Judge, evidence: EvidenceWriter | None, not_applicable: list[str]
) -> Iterator[Watch | None]:
    """The watch over an experiment, and at its end a record of it. None, and why not, if there can be none."""
    if not isinstance(system, KeepsALog):
        yield None
        return
    log = system.write_ahead_log
    try:
        witness = Witness(log.dsn, log.schemas)
    except WitnessUnavailableError as error:
        not_applicable.append(f"What was written, and by whom, as the write-ahead log would show it: {error}")
        _write(evidence, _unseen(experiment, str(error)))
        yield None
        return
    with closing(Watch(experiment, witness, log, judge)) as watch:
        yield watch
        record = watch.record()
        if record.verdict is Verdict.INCONCLUSIVE:
            not_applicable.append(f"What was written to the end, as the write-ahead log would show it: {record.note}")
        _write(evidence, record)


def _write(evidence: EvidenceWriter | None, record: WrittenRecord) -> None:
    if evidence is not None:
        evidence.write(record)


def _unseen(experiment: str, why: str) -> WrittenRecord:
    return WrittenRecord(
        experiment=experiment,
        transactions=0,
        of_the_harness=0,
        rows={},
        verdict=Verdict.NOT_APPLICABLE,
        note=why,
    )


def _violation(run: str, seen: str) -> Violation:
    """No command is known to have done it: all that there is to tell is what the log shows."""
    step = Step(
        Observation(), WorkerRan(RunId(run or "a run that no row names")), None, Observation(), NOTHING, NOTHING
    )
    return Violation(RULE, step, EXPECTED, seen, trace=run)
