"""Everything that may be asked of a system, one frozen class a command, grouped by what it is about."""

from .asked import Asked, AskedOfRun, Worked
from .lifecycle import (
    Assess,
    Cancel,
    Claim,
    Continue,
    LookUp,
    Observe,
    Reconcile,
    Recover,
    Replay,
    Stop,
    Stream,
    Submit,
)
from .stores import Deploy, EndMigration, Grant, Migrate, Purge, ReadMaterial, Retire, Revoke, SaveMaterial
from .waits import Decide, Deliver, RequestApproval, Spawn, Wait, Wake
from .work import Fail, Intend, Mark, MarkUnknown, Publish, RecordAnswer, Release, Renew, SendAgain, Succeed

Spine = (
    Observe
    | Submit
    | Claim
    | Renew
    | Release
    | Intend
    | RecordAnswer
    | MarkUnknown
    | Publish
    | Succeed
    | Fail
    | Recover
    | Reconcile
)
"""The commands of one run with a worker, a recovery and a person with evidence: what every system must offer."""

Other = (
    Stream
    | Replay
    | Assess
    | LookUp
    | SendAgain
    | Cancel
    | Stop
    | Spawn
    | Wait
    | RequestApproval
    | Decide
    | Deliver
    | Wake
    | Mark
    | SaveMaterial
    | ReadMaterial
    | Continue
    | Grant
    | Revoke
    | Deploy
    | Retire
    | Migrate
    | EndMigration
    | Purge
)
"""The commands of everything else; a system says which of them it offers."""

Command = Spine | Other

__all__ = [
    "Asked",
    "AskedOfRun",
    "Assess",
    "Cancel",
    "Claim",
    "Command",
    "Continue",
    "Decide",
    "Deliver",
    "Deploy",
    "EndMigration",
    "Fail",
    "Grant",
    "Intend",
    "LookUp",
    "Mark",
    "MarkUnknown",
    "Migrate",
    "Observe",
    "Other",
    "Publish",
    "Purge",
    "ReadMaterial",
    "Reconcile",
    "RecordAnswer",
    "Recover",
    "Release",
    "Renew",
    "Replay",
    "RequestApproval",
    "Retire",
    "Revoke",
    "SaveMaterial",
    "SendAgain",
    "Spawn",
    "Spine",
    "Stop",
    "Stream",
    "Submit",
    "Succeed",
    "Wait",
    "Wake",
    "Worked",
]
