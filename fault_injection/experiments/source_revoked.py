"""A grant is withdrawn before, while and after a continuation reads: nothing of the source is readable any more, in
whatever summary.
"""

from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum

from keepfact.conformance.abilities import KeepsFindings, Rollout, RunsWorkers
from keepfact.conformance.system import capabilities_of
from keepfact.spec.vocabulary import (
    ENDS,
    WAITS,
    Asking,
    Capability,
    Claim,
    Continue,
    Contract,
    Done,
    EntryPoint,
    Fail,
    Grant,
    MaterialId,
    MaterialView,
    ReadMaterial,
    Revoke,
    RunId,
    RunState,
    Session,
    SourceId,
    TenantId,
    UserId,
    WorkerId,
)

from .. import expectations
from ..approving import TOOL, approve, work_on
from ..experiment import Experiment
from ..processes import is_alive
from ..reaching import held_write
from ..rehearsal import Rehearsal
from ..strikes import Strike, at_every_seam, before_every_write, in_order
from ..subject import ExperimentError
from ..sweep import Sweep
from ..trial import BUDGET_CENTS, Trial
from ..waiting import NotReachedError
from ..world.script import script_that_calls

FINDS_WITH = "read_invoice"
"""The tool whose answer gives something to be found."""

STRANGER, OTHER_TENANT = UserId("stranger"), TenantId("other-tenant")
PENDING, OVER = "a person is asked", "the run has ended"
"""Where nobody is at work on the continuation: it waits, and it is over."""


class Side(StrEnum):
    """When the owner of the source withdraws the grant."""

    AT = "while nothing is written"
    DURING = "while a write of the reader waits"
    ENDED = "after the reader has ended, before its work is continued"


def plan(rehearsal: Rehearsal) -> tuple[Strike, ...]:
    """At every seam of the readers and while the run waits, in each of their writes, and at last."""
    return in_order(
        *at_every_seam(rehearsal, Side.AT),
        *before_every_write(rehearsal, Side.DURING),
        Strike(len(rehearsal.seams) + 1, OVER, Side.ENDED),
    )


def rehearse_reading(trial: Trial) -> Rehearsal:
    """Everything is found, handed over, read, concluded from, and handed on. The seams are those of both readers, one
    before a person was asked and one after.
    """
    try:
        _find(trial)
        with trial:
            start_continuing(trial)
            trial.take_up()
            trial.finish()
            first = tuple(trial.seams)
            _go_on(trial)
            if trial.view.state is not RunState.SUCCEEDED:
                raise ExperimentError(f"expected a continuation that reads to succeed, but it is {trial.view.state}.")
            seams = (*first, PENDING, *trial.seams)
            _require_lineage(trial)
            return Rehearsal(seams, (), trial.truth, starts_queued=True)
    except NotReachedError as error:
        raise ExperimentError(str(error)) from error


def start_continuing(trial: Trial) -> None:
    """Let a user of its own read all sources, and admit a run of this user, to read what was found."""
    system, stage, found = trial.stage.system, trial.stage, _found_by(trial)
    assert isinstance(system, KeepsFindings)  # the experiment needs it
    trial.also_show(found)
    for source in sorted(system.sources()):
        trial.perform(Grant(trial.command_id(), source, _user(trial)))
    stage.world.set_script(trial.run, script_that_calls(TOOL))
    outcome = trial.perform(_continuing(trial, trial.run, found))
    if not isinstance(outcome, Done):
        raise NotReachedError(f"expected {found} to be continued, but the system answered {outcome}.")
    trial.hire()


def revoke(trial: Trial, strike: Strike) -> str:
    """Bring the readers to their seam, and withdraw the grant."""
    _walk_to(trial, strike)
    if strike.side != Side.DURING:
        return _withdraw(trial, strike)
    with held_write(trial):
        return _withdraw(trial, strike)


def look_after(rehearsal: Rehearsal, trial: Trial, strike: Strike) -> None:
    """Nothing more of the source is read, here or in what continues this; the rest is still there."""
    at_loss = _reads(trial)
    if strike.side == Side.AT and strike.seam != PENDING:
        trial.go()
    _go_on(trial)
    _nothing_more_was_read(trial, at_loss, in_flight=1 if strike.side == Side.DURING else 0)
    expectations.the_run_came_to_its_end(trial)
    expectations.tools_acted_no_more_than_in_rehearsal(trial, rehearsal.truth)
    _continue_further(trial)
    _let_strangers_try(trial)


def _find(trial: Trial) -> None:
    """A run with a worker of its own, which saves what it has found. All that is read later is of this one."""
    finding = Trial(trial.stage, _found_by(trial))
    trial.stage.world.set_script(finding.run, script_that_calls(FINDS_WITH))
    with finding:
        finding.start()
        finding.take_up()
        finding.finish()
        if not finding.view.materials:
            raise NotReachedError(f"expected {finding.run} to save what it found, but it is {finding.view.state}.")


def _walk_to(trial: Trial, strike: Strike) -> None:
    """From one reader to the next, past the person, to where the strike is to fall."""
    passed = 0
    while True:
        while trial.next_seam() is not None:
            if passed + len(trial.seams) == strike.number:
                trial.worker.stand_at(len(trial.seams), strike.seam)
                return
            trial.go()
        trial.wait_for_exit()
        passed += len(trial.seams) + 1
        if strike.seam in (PENDING, OVER) and passed == strike.number:
            return
        if trial.view.state not in WAITS:
            raise NotReachedError(f"expected {strike.place} in {trial.run}, but before it is {trial.view.state}.")
        approve(trial)
        trial.hire().accept()


def _withdraw(trial: Trial, strike: Strike) -> str:
    source, read = _revoked(trial), [name for name, times in _reads(trial).items() if times]
    outcome = trial.perform(Revoke(trial.command_id(), source, _user(trial)))
    trial.timeline.mark("recovery", "kill", f"{_user(trial)} may read {source} no more: {outcome}")
    if not isinstance(outcome, Done):
        raise NotReachedError(f"expected the grant on {source} to be withdrawn, but the system answered {outcome}.")
    return f"the grant on {source} was withdrawn at {strike.place}; read before: {', '.join(read) or 'nothing'}"


def _go_on(trial: Trial) -> None:
    """The reader that is at work goes on, a person approves if one is asked, and the next reader ends the run."""
    if is_alive(trial.worker.process) and not trial.worker.is_gone:
        trial.finish()
    if trial.view.state in WAITS:
        approve(trial)
        work_on(trial, Rollout.FIRST)


def _nothing_more_was_read(trial: Trial, at_loss: dict[MaterialId, int], in_flight: int) -> None:
    """Of what the source has gone into; but what waited to be written may have been read before."""
    tainted, now = _tainted(trial), _reads(trial)
    more = sum(now[name] - times for name, times in at_loss.items() if name in tainted)
    trial.expect(
        "CONTINUE.5", more <= in_flight, f"nothing of {_revoked(trial)} is read any more", f"{more} findings were"
    )


def _continue_further(trial: Trial) -> None:
    """What the reader has left is handed on, but for all that the source has gone into."""
    if trial.view.state not in ENDS and trial.view.state is not RunState.UNKNOWN:
        return
    further, tainted = RunId(f"{trial.run}-further"), _tainted(trial)
    trial.perform(_continuing(trial, further, trial.run))
    continued = trial.recorder.observation.run(further)
    handed = {view.material for view in continued.inherited} if continued else set()
    trial.expect("CONTINUE.5", not handed & tainted, f"nothing of {_revoked(trial)} is handed on", f"{sorted(handed)}")
    clean = {view.material for view in trial.view.inherited} - tainted
    trial.expect("CONTINUE.4", clean <= handed, f"the rest is: {sorted(clean)}", f"{sorted(handed)}")
    claimed = trial.perform(Claim(trial.command_id(), further, WorkerId("reader-of-the-rest")))
    if not (isinstance(claimed, Done) and claimed.grant):
        raise NotReachedError(f"expected {further} to be granted, but the system answered {claimed}.")
    fence = claimed.grant.fence
    for name in sorted({*tainted, *handed}):
        trial.perform(ReadMaterial(trial.command_id(), further, fence, name))
    trial.perform(Fail(trial.command_id(), further, fence, "all was read"))


def _let_strangers_try(trial: Trial) -> None:
    """Somebody who was never let read anything, and somebody of another tenant."""
    stranger = _continuing(trial, RunId(f"{trial.run}-stranger"), _found_by(trial))
    trial.perform(replace(stranger, user=STRANGER))
    if Capability.SESSIONS in capabilities_of(trial.stage.system):
        theirs = _continuing(trial, RunId(f"{trial.run}-theirs"), _found_by(trial))
        trial.recorder.perform(Asking(Session(OTHER_TENANT, "somebody", EntryPoint.CONTINUE), theirs))


def _continuing(trial: Trial, run: RunId, source: RunId) -> Continue:
    return Continue(trial.command_id(), run, source, _user(trial), trial.stage.contract, BUDGET_CENTS)


def _user(trial: Trial) -> UserId:
    """Each trial has its own, so that what is withdrawn from one is not from another."""
    return UserId(f"reader-of-{trial.run}")


def _require_lineage(trial: Trial) -> None:
    """Without a summary of it nobody could see one withheld, and without anything else nobody that it is kept."""
    tainted, all_found = _tainted(trial), {view.material for view in _materials(trial)}
    if len(tainted) < 2 or tainted >= {view.material for view in trial.view.inherited}:
        raise ExperimentError(
            f"expected findings of which some derive from others, and some from none, but of {sorted(all_found)} "
            f"{sorted(tainted)} go back to {_revoked(trial)}."
        )


def _revoked(trial: Trial) -> SourceId:
    """The source of the first finding that another derives from."""
    found = _materials(trial)
    parents = {name for view in found for name in view.derived_from}
    for view in found:
        if view.material in parents:
            return view.source
    raise NotReachedError(f"expected a finding that another derives from, but there is none among {found}.")


def _tainted(trial: Trial) -> set[MaterialId]:
    """All that the source has gone into, however far."""
    found, source = _materials(trial), _revoked(trial)
    tainted = {view.material for view in found if view.source == source}
    for _ in found:
        tainted |= {view.material for view in found if tainted & set(view.derived_from)}
    return tainted


def _materials(trial: Trial) -> list[MaterialView]:
    """What was found, and what the readers have made of it."""
    return list(_all_of(trial))


def _all_of(trial: Trial) -> Iterator[MaterialView]:
    for name in (_found_by(trial), trial.run):
        if (run := trial.recorder.observation.run(name)) is not None:
            yield from run.materials


def _found_by(trial: Trial) -> RunId:
    return RunId(f"{trial.stage.title}-found")


def _reads(trial: Trial) -> dict[MaterialId, int]:
    """How often each finding was read that was handed over."""
    return {view.material: view.reads for view in trial.view.inherited}


EXPERIMENT = Experiment(
    name="source_revoked",
    fault="The owner of a source withdraws a grant: at every seam of those who read what was found in it, in each of "
    "their writes, while their run waits, and before their work is continued.",
    rules=("ENTRY.2", "EFFECT.4", "CONTINUE.1", "CONTINUE.2", "CONTINUE.3", "CONTINUE.4", "CONTINUE.5", "CONTINUE.7",
           "WAKE.1", "WAKE.4", "WAKE.12"),
    not_shown=(
        "What was read before the grant was withdrawn stays in the history of who read it, and wherever that was sent.",
        "A finding whose reading had begun when the grant was withdrawn may still be read: either came first.",
    ),
    course=Sweep(
        tuple(Side),
        plan,
        revoke,
        look_after,
        rehearse=rehearse_reading,
        start=lambda rehearsal, trial, strike: start_continuing(trial),
    ),
    contracts=(Contract.SETTLE, Contract.RESUME),
    needs=frozenset({Capability.WAITS, Capability.APPROVALS, Capability.MATERIALS, Capability.CONTINUATION}),
    abilities=(RunsWorkers, KeepsFindings),
)  # fmt: skip
