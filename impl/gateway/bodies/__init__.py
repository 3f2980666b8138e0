"""The bodies of all commands, grouped by what they are about."""

from .fields import Body
from .lifecycle import Assess, Cancel, Claim, Continue, Reconcile, Recover, Stop, Submit
from .stores import Deploy, EndMigration, Grant, Migrate, Purge, ReadMaterial, Retire, Revoke, SaveMaterial
from .waits import Decide, Deliver, RequestApproval, Spawn, Wait, Wake
from .work import Fail, Intend, Mark, MarkUnknown, Publish, RecordAnswer, Release, Renew, SendAgain, Succeed

__all__ = [
    "Assess", "Body", "Cancel", "Claim", "Continue", "Decide", "Deliver", "Deploy", "EndMigration", "Fail", "Grant",
    "Intend", "Mark", "MarkUnknown", "Migrate", "Publish", "Purge", "ReadMaterial", "Reconcile", "RecordAnswer",
    "Recover", "Release", "Renew", "RequestApproval", "Retire", "Revoke", "SaveMaterial", "SendAgain", "Spawn", "Stop",
    "Submit", "Succeed", "Wait", "Wake",
]  # fmt: skip
