"""What a system may offer beyond the spine, and which commands and happenings belong to each."""

from enum import StrEnum

from .commands import (
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
    Wake,
)
from .happenings import Asking, Drifted, Restarted, ToolReleased


class Capability(StrEnum):
    """Declared by a system: what it does not offer is not asked of it, and rules about it do not apply."""

    STREAMS = "streams"
    REPLAY = "replay"
    ASSESSMENT = "assessment"
    LOOKUP = "lookup"
    RESENDING = "resending"
    COMPENSATION = "compensation"
    SWEEPS = "sweeps"
    CANCELLING = "cancelling"
    CHILDREN = "children"
    WAITS = "waits"
    APPROVALS = "approvals"
    RELEASES = "releases"
    MIGRATION = "migration"
    MATERIALS = "materials"
    CONTINUATION = "continuation"
    PAYLOADS = "payloads"
    SESSIONS = "sessions"


OFFERS: dict[Capability, tuple[type, ...]] = {
    Capability.STREAMS: (Stream,),
    Capability.REPLAY: (Replay,),
    Capability.ASSESSMENT: (Assess,),
    Capability.LOOKUP: (LookUp, ToolReleased),
    Capability.RESENDING: (SendAgain,),
    Capability.COMPENSATION: (),  # Intend.compensates
    Capability.SWEEPS: (),  # Recover.seen_fence
    Capability.CANCELLING: (Cancel, Stop),
    Capability.CHILDREN: (Spawn,),
    Capability.WAITS: (Wait, Deliver, Wake, Restarted),
    Capability.APPROVALS: (RequestApproval, Decide, Drifted),
    Capability.RELEASES: (Deploy, Retire, Mark),
    Capability.MIGRATION: (Migrate, EndMigration),
    Capability.MATERIALS: (SaveMaterial, ReadMaterial, Grant, Revoke),
    Capability.CONTINUATION: (Continue,),
    Capability.PAYLOADS: (Purge,),  # and texts that are large, secret or cannot be stored
    Capability.SESSIONS: (Asking,),
}
"""Every command and happening beyond the spine belongs to one capability."""
