"""What all commands have in common.

A command says *what* is asked. Who asks comes from the authenticated session, never from the command (TENANT.3).
Amounts are whole cents; durations are whole seconds of the store's clock.
"""

from dataclasses import dataclass
from typing import ClassVar

from keepfact.spec.vocabulary.terms import CommandId, EntryPoint, Fence, RunId


@dataclass(frozen=True, slots=True)
class Asked:
    """Every command has the id under which repeating it is safe (ENTRY.6)."""

    entry_point: ClassVar[EntryPoint]

    command_id: CommandId


@dataclass(frozen=True, slots=True)
class AskedOfRun(Asked):
    """A command about one run."""

    run: RunId


@dataclass(frozen=True, slots=True)
class Worked(AskedOfRun):
    """A command of a worker that holds, or believes it holds, a lease."""

    entry_point = EntryPoint.WORK

    fence: Fence
