"""The commands beyond the spine in plain words, and words for amounts."""

from typing import assert_never

from keepfact.spec.vocabulary import (
    Assess,
    Cancel,
    Continue,
    Decide,
    Deliver,
    Deploy,
    EndMigration,
    Grant,
    LookUp,
    Mark,
    Migrate,
    Other,
    Purge,
    ReadMaterial,
    Replay,
    RequestApproval,
    Retire,
    Revoke,
    SaveMaterial,
    SendAgain,
    Spawn,
    Stop,
    Stream,
    Wait,
    WaitKind,
    Wake,
)


def other_in_words(command: Other) -> str:
    """What was asked, as one clause."""
    match command:
        case Stream():
            return f"a reader asks for the events of {command.run} after number {command.after}"
        case Replay():
            return f"{command.run} is replayed on {command.host}"
        case Assess():
            return f"somebody says that the result of {command.run} is {'good' if command.good else 'not good'}"
        case LookUp():
            return f"the tool is asked what became of {command.call}"
        case Cancel():
            return f"{command.run} is asked to stop"
        case Decide():
            verb = "approves" if command.approved else "denies"
            return f"a person who was shown {command.digest} {verb} request {command.wait} of {command.run}"
        case Deliver():
            return f"{_arriving(command)} arrives for wait {command.wait} of {command.run}"
        case Wake():
            return f"worker {command.worker} takes up the wake of wait {command.wait} of {command.run}"
        case Continue():
            return f"{command.user} continues {command.source} in a new run {command.run}"
        case Grant():
            return f"the owner of {command.source} lets {command.user} read it"
        case Revoke():
            return f"the owner of {command.source} lets {command.user} read it no more"
        case Deploy() | Retire() | Migrate() | EndMigration() | Purge():
            return _operated(command)
        case _:
            return f"the holder of fence {command.fence} {_worked(command)}"


def amount_in_words(cents: int | None) -> str:
    """What an answer or evidence names."""
    return "no amount" if cents is None else f"an amount of {many(cents, 'cent')}"


def many(number: int, what: str) -> str:
    """As `1 cent` and `2 cents`."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _worked(
    command: SendAgain | Stop | Spawn | Wait | RequestApproval | Mark | SaveMaterial | ReadMaterial,
) -> str:
    match command:
        case SendAgain():
            return f"sends {command.call} again"
        case Stop():
            return f"says that {command.run} has stopped"
        case Spawn():
            return f"starts child {command.child} under spawn id {command.spawn}"
        case Wait():
            return f"lets {command.run} wait for {_awaited(command)}, as wait {command.wait}"
        case RequestApproval():
            return f"asks a person, as wait {command.wait}, to approve {command.call} ({command.digest})"
        case Mark():
            return f"records that {command.run} takes the {command.branch} branch at {command.marker}"
        case SaveMaterial():
            rests = f", derived from {', '.join(command.derived_from)}" if command.derived_from else ""
            return f"saves material {command.material} from {command.source}{rests}"
        case ReadMaterial():
            return f"uses material {command.material}"
        case _:
            assert_never(command)


def _awaited(command: Wait) -> str:
    match command.kind:
        case WaitKind.CHILD:
            return f"child {command.child}"
        case WaitKind.TIMER:
            return f"a timer of {many(command.seconds, 'second')}"
        case _:
            return many(command.arrivals, "callback")


def _arriving(command: Deliver) -> str:
    match command.kind:
        case WaitKind.CHILD:
            return f"the child's report ({command.digest})"
        case WaitKind.TIMER:
            return "the timer"
        case _:
            return f"callback {command.number} ({command.digest})"


def _operated(command: Deploy | Retire | Migrate | EndMigration | Purge) -> str:
    match command:
        case Deploy():
            return f"{command.bundle} is deployed, {command.replayed} runs replayed and {command.diverged} diverged"
        case Retire():
            return f"{command.bundle} is retired"
        case Migrate():
            return "the schema begins to migrate"
        case EndMigration():
            return "the migration of the schema is ended"
        case Purge():
            return f"the text behind {command.payload} is purged"
        case _:
            assert_never(command)
