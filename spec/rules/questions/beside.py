"""What a command may change beside the run that it is about: its children, and what is kept beyond runs."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    BESIDE_RUNS,
    Cancel,
    Drifted,
    EntryPoint,
    EventType,
    EventView,
    RunView,
    Spawn,
    Step,
    WorkerRan,
)

_MAY_KEEP: dict[EntryPoint, tuple[str, ...]] = {
    EntryPoint.WORK: ("payloads",),
    EntryPoint.PURGE: ("payloads",),
    EntryPoint.GRANT: ("readers",),
    EntryPoint.DEPLOY: ("bundles", "served"),
}
"""What each entry point may change of what is kept beside runs."""


def others_are_left(step: Step, door: EntryPoint | None) -> bool:
    """Every other run stays as it was, but for children of the one asked about; without anybody asking, every run."""
    own = None if door is None else step.run_id
    before = [run for run in step.before.runs if run.run != own]
    after = [run for run in step.after.runs if run.run != own]
    return (
        len(before) <= len(after)
        and all(
            new is old or timeless(new) == timeless(old) or _is_cancelled_too(old, new, step)
            for old, new in zip(before, after, strict=False)
        )
        and all(_is_spawned(run, step) for run in after[len(before) :])
    )


def stores_are_left(step: Step, door: EntryPoint | None) -> bool:
    if door is None:
        may: tuple[str, ...] = ("in_force",) if isinstance(step.cause, Drifted) else ()
    else:
        may = _MAY_KEEP.get(door, ())
    kept = [name for name in BESIDE_RUNS if name not in may]
    return all(getattr(step.before, name) == getattr(step.after, name) for name in kept)


def _is_spawned(run: RunView, step: Step) -> bool:
    """It was not there, and is a child of the run at work."""
    is_work = isinstance(step.cause, (Spawn, WorkerRan)) and run.parent is not None and run.parent == step.run_id
    return is_work and are_allowed(run.history, EntryPoint.WORK, frozenset({EventType.ADMITTED}))


def _is_cancelled_too(old: RunView, new: RunView, step: Step) -> bool:
    """It descends from the run that is cancelled, and changed as that one does and no further."""
    told = new.history[len(old.history) :]
    signed = bool(told) and are_allowed(told, EntryPoint.CANCEL, frozenset({EventType.CANCEL_REQUESTED}))
    back = replace(
        new, state=old.state, history=old.history, calls=old.calls, waits=old.waits, next_decision=old.next_decision
    )
    is_cancelled = isinstance(step.cause, Cancel) and _descends(new, step)
    return is_cancelled and signed and timeless(back) == timeless(old)


def _descends(run: RunView, step: Step) -> bool:
    parent = run.parent
    for _ in step.before.runs:
        if parent is None or parent == step.run_id:
            break
        above = step.before.run(parent)
        parent = above.parent if above else None
    return parent is not None and parent == step.run_id


def are_allowed(events: tuple[EventView, ...], door: EntryPoint, types: frozenset[EventType]) -> bool:
    return all(event.entry_point is door and event.type in types and event.principal for event in events)


def timeless(run: RunView | None) -> RunView | None:
    """The run without what a passing clock may change."""
    return run and replace(
        run,
        lease_left_seconds=None,
        waits=tuple(replace(wait, left_seconds=0) for wait in run.waits),
        materials=tuple(replace(material, fresh_seconds=0) for material in run.materials),
    )
