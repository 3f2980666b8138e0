"""Descriptors, of which each open connection takes one: as many as we may have, and what is done without any left."""

import asyncio
import errno
import logging
import resource
import socket
from typing import Any

DESCRIPTORS = 16_384
"""Enough for ten thousand connections at once."""


def allow_many() -> None:
    """Raise our own limit to that, or as far as the system lets everybody."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class PatientListener(socket.socket):
    """Says once that it has none left, and once more: that nobody is waiting.

    After the first asyncio tries again in a second. Without the second it would go on trying as often as others may
    wait, each time with a further timer, until it does nothing else.
    """

    _has_said_so = False

    def accept(self) -> tuple[socket.socket, Any]:
        try:
            return super().accept()
        except OSError as error:
            if error.errno not in _NONE_LEFT:
                raise
            self._has_said_so = not self._has_said_so
            if self._has_said_so:
                raise
            raise BlockingIOError from error


def say_once_that_none_are_left(loop: asyncio.AbstractEventLoop) -> None:
    """And not every second, with where in asyncio it was found."""
    told = False

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        nonlocal told
        error = context.get("exception")
        if not (isinstance(error, OSError) and error.errno in _NONE_LEFT):
            loop.default_exception_handler(context)
        elif not told:
            told = True
            logging.getLogger("uvicorn.error").error(_NONE, resource.getrlimit(resource.RLIMIT_NOFILE)[0])

    loop.set_exception_handler(handle)


_NONE_LEFT = (errno.EMFILE, errno.ENFILE)
_NONE = (
    "expected a free descriptor for each connection, but all %s are taken. Others wait until some end; "
    "or raise the limit (ulimit -n)."
)
