"""Doing a command although answers get lost: asked again under the same id, which tells what became of it."""

import logging
import time
import uuid
from collections.abc import Callable
from typing import TypeVar

from .outcomes import Done, Lost, Outcome, Refused
from .prepared import Value
from .store import ConnectionLostError, Store

T = TypeVar("T")
log = logging.getLogger("keepfact.worker")

PAUSE_SECONDS, PAUSE_SECONDS_MAX = 0.05, 1.0
ATTEMPTS_MAX = 5


class StoppedError(Exception):
    """The worker may or can do nothing more for the run; the message says why."""


class RefusedError(StoppedError):
    """The store refused a command of the worker."""

    def __init__(self, command: str, reason: str) -> None:
        super().__init__(f"{command} was refused: {reason}")
        self.reason = reason


def insist(store: Store, command: str, may_go_on: Callable[[], bool], **fields: Value) -> Done:
    """Do a command; while nobody knows whether it was done, ask again. Raises StoppedError, and RefusedError."""
    command_id = str(uuid.uuid4())
    pause = PAUSE_SECONDS
    while True:
        match store.perform(command, command_id=command_id, **fields):
            case Done() as done:
                return done
            case Refused(reason):
                raise RefusedError(command, reason)
            case Lost():
                if not may_go_on():
                    raise StoppedError(f"whether {command} was done is unknown, and nobody may ask any more")
        time.sleep(pause)
        pause = min(2 * pause, PAUSE_SECONDS_MAX)


def ask_a_few_times(store: Store, command: str, **fields: Value) -> Outcome:
    """The outcome of a command; Lost, if nobody could be heard a few times. For what will be asked again anyway."""
    command_id, pause = str(uuid.uuid4()), PAUSE_SECONDS
    outcome = store.perform(command, command_id=command_id, **fields)
    for _ in range(ATTEMPTS_MAX - 1):
        if not isinstance(outcome, Lost):
            break
        time.sleep(pause)
        pause *= 2
        outcome = store.perform(command, command_id=command_id, **fields)
    return outcome


def read(reading: Callable[[], T], may_go_on: Callable[[], bool]) -> T:
    """What the store shows; asked for again while it cannot be reached. Raises StoppedError."""
    pause = PAUSE_SECONDS
    while True:
        try:
            return reading()
        except ConnectionLostError:
            if not may_go_on():
                raise StoppedError("the store cannot be reached, and nobody may ask any more") from None
        time.sleep(pause)
        pause = min(2 * pause, PAUSE_SECONDS_MAX)
