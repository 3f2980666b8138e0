"""Who asks: mostly the one whose door it is; also another principal, another tenant, and somebody at the wrong door."""

from keepfact.spec.vocabulary import (
    TENANT,
    AskedOfRun,
    Asking,
    Capability,
    Command,
    EntryPoint,
    Session,
    TenantId,
)

from .hand import Draw, Hand

STRANGER = TenantId("stranger")
SESSIONS = frozenset({Capability.SESSIONS})


def asked_by(hand: Hand, draw: Draw, command: Command) -> Command | Asking:
    """The command, perhaps in a session that is not the usual one. What a stranger has admitted is mostly his.

    Whether two tenants may use one command id for different commands is not asked.
    """
    run = hand.state.run(command.run) if isinstance(command, AskedOfRun) else None
    tenant, door = run.tenant if run else TENANT, command.entry_point
    visitor = Session(TENANT if tenant == STRANGER else STRANGER, "visitor", door)
    if command.command_id in hand.used_ids() and command not in hand.sent:
        return Asking(visitor, command) if tenant == STRANGER else command
    wrong = EntryPoint.OBSERVE if door is not EntryPoint.OBSERVE else EntryPoint.WORK
    usual = Session(STRANGER, "stranger", door) if tenant == STRANGER else None
    others = [Session(tenant, "somebody", door), Session(tenant, "watcher", wrong)]
    if isinstance(command, AskedOfRun):
        others += [visitor]
    session: Session | None = draw([usual] * 6 + others)
    return command if session is None else Asking(session, command)
