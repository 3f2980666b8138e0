"""Defects of CONTINUE, continued: findings go to readers who may not read them, or as what they are not."""

from collections.abc import Callable
from dataclasses import replace

from keepfact.model.state import Call, Run, State
from keepfact.model.step import step
from keepfact.spec.vocabulary import (
    CallId,
    CallKind,
    Cause,
    Continue,
    Done,
    EntryPoint,
    EventType,
    InheritedView,
    Label,
    MaterialView,
    Outcome,
    ReaderView,
    ReadMaterial,
    SourceId,
    UserId,
)

from .continuation import admitted
from .defect import Taken, wrong_command, wrong_result, wrong_step

Found = tuple[MaterialView, ...]


@wrong_step("CONTINUE.3", "CONTINUE.5", case="B23")
def whoever_asks_inherits_everything(state: State, cause: Cause) -> Taken:
    """Who continues a run of another user is handed all that it found, and nobody asks what he may read."""
    if not isinstance(cause, Continue):
        return step(state, cause)
    return _among(state, cause, replace(state, readers=_all_readers(state, cause.user)))


@wrong_step("CONTINUE.3")
def what_is_not_dated_is_handed_over(state: State, cause: Cause) -> Taken:
    """A finding of which nobody can say as of when it is goes into the new run."""
    return _as_if_found(state, cause, lambda material: replace(material, as_of=material.as_of or "today"))


@wrong_command(ReadMaterial, "CONTINUE.3", case="B23")
def what_was_not_handed_over_is_read(state: State, read: ReadMaterial, run: Run) -> Taken:
    """Whoever knows the name of a finding reads it, whether it was handed over or not."""
    if run.continues is None or any(one.material == read.material for one in run.inherited):
        return step(state, read)
    handed = InheritedView(read.material, run.continues, Label.CURRENT)
    outcome, after = step(state.with_run(replace(run, inherited=(*run.inherited, handed))), read)
    return outcome, after if isinstance(outcome, Done) else state


@wrong_step("CONTINUE.4")
def stale_findings_come_as_current(state: State, cause: Cause) -> Taken:
    """A finding that is long out of date is handed over without a word about its age."""
    return _labelled(state, cause, {Label.STALE: Label.CURRENT})


@wrong_step("CONTINUE.4")
def corrected_findings_come_as_current(state: State, cause: Cause) -> Taken:
    """A finding that was corrected is handed over as if it still stood."""
    return _labelled(state, cause, {Label.SUPERSEDED: Label.CURRENT})


@wrong_step("CONTINUE.4")
def nothing_is_handed_over(state: State, cause: Cause) -> Taken:
    """A continuation begins from nothing, although its user may read what was found."""
    return admitted(state, cause, lambda new, old: replace(new, inherited=()))


@wrong_step("CONTINUE.5")
def a_summary_hides_what_it_rests_on(state: State, cause: Cause) -> Taken:
    """A summary is handed over to somebody who may not read what was summarised."""
    return _as_if_found(state, cause, lambda material: replace(material, derived_from=()))


@wrong_step("CONTINUE.5")
def a_summary_of_what_was_handed_forgets_it(state: State, cause: Cause) -> Taken:
    """A summary is traced within its own run only, and comes to somebody who may not read what that run was handed."""

    def traced_at_home(found: Found) -> Found:
        own = {material.material for material in found}
        return tuple(
            replace(one, derived_from=tuple(name for name in one.derived_from if name in own)) for one in found
        )

    return _as_if_left(state, cause, traced_at_home)


@wrong_step("CONTINUE.5")
def a_later_finding_takes_the_place_of_what_was_summed_up(state: State, cause: Cause) -> Taken:
    """A finding that may be read, saved later under the name of what was summed up, is taken for what was summed up."""

    def with_summaries_last(found: Found) -> Found:
        return tuple(sorted(found, key=lambda material: bool(material.derived_from)))

    return _as_if_left(state, cause, with_summaries_last)


@wrong_command(ReadMaterial, "CONTINUE.5")
def what_was_handed_over_outlives_its_grant(state: State, read: ReadMaterial, run: Run) -> Taken:
    """A finding that was handed over is still read after its source was withdrawn."""
    if run.user is None:
        return step(state, read)
    return _among(state, read, replace(state, readers=_all_readers(state, run.user)))


@wrong_step("CONTINUE.6")
def an_earlier_judgement_comes_as_a_fact(state: State, cause: Cause) -> Taken:
    """What somebody once concluded is handed over as if it had been observed."""
    return _labelled(state, cause, {Label.JUDGEMENT: Label.CURRENT})


@wrong_step("CONTINUE.6")
def whatever_is_old_counts_as_a_judgement(state: State, cause: Cause) -> Taken:
    """What was observed is handed over as if somebody had only concluded it."""
    return _labelled(state, cause, {Label.CURRENT: Label.JUDGEMENT})


@wrong_result(ReadMaterial, "CONTINUE.7")
def reading_asks_the_source_again(old: Run, new: Run) -> Run:
    """Each reading of a finding sends the request again that it once came from."""
    call = Call(CallId("fetched again"), CallKind.OPERATION, "arguments", 0, new.fence, None)
    return replace(new, calls=(*new.calls, call)).tells(EventType.INTENDED, EntryPoint.WORK, new.fence, call.call)


@wrong_command(ReadMaterial, "CONTINUE.7")
def reading_computes_the_finding_again(state: State, read: ReadMaterial, run: Run) -> Taken:
    """What is read is worked out once more and saved as a finding of the new run."""
    outcome, after = step(state, read)
    source, reader = state.run(run.continues) if run.continues else None, after.run(run.run)
    if source is None or reader is None or after is state:
        return outcome, after
    found = tuple(replace(one, fence=run.fence) for one in source.materials if one.material == read.material)
    return outcome, after.with_run(replace(reader, materials=found))


def _labelled(state: State, cause: Cause, wrongly: dict[Label, Label]) -> Taken:
    """A continuation that calls some of what it is handed by another label."""

    def spoil(new: Run, _: Run) -> Run:
        labelled = (replace(one, label=wrongly.get(one.label, one.label)) for one in new.inherited)
        return replace(new, inherited=tuple(labelled))

    return admitted(state, cause, spoil)


def _as_if_found(state: State, cause: Cause, otherwise: Callable[[MaterialView], MaterialView]) -> Taken:
    """A continuation of a run of which each finding is taken to be another."""
    return _as_if_left(state, cause, lambda found: tuple(map(otherwise, found)))


def _as_if_left(state: State, cause: Cause, otherwise: Callable[[Found], Found]) -> Taken:
    """A continuation of a run that is taken to have found something else."""
    source = state.run(cause.source) if isinstance(cause, Continue) else None
    if source is None:
        return step(state, cause)
    outcome, after = step(state.with_run(replace(source, materials=otherwise(source.materials))), cause)
    return outcome, after.with_run(source) if isinstance(outcome, Done) else state


def _among(state: State, cause: Cause, other: State) -> tuple[Outcome | None, State]:
    """The step as if these were the readers."""
    outcome, after = step(other, cause)
    return outcome, replace(after, readers=state.readers) if isinstance(outcome, Done) else state


def _all_readers(state: State, user: UserId) -> tuple[ReaderView, ...]:
    sources: set[SourceId] = {material.source for run in state.runs for material in run.materials}
    return tuple(ReaderView(source, user) for source in sorted(sources))
