"""Where something of ours listens, as people say it: host:port."""

import socket

from .errors import KeepfactError


def bound(listen: str) -> socket.socket:
    """A socket that listens on host:port, 0 for whichever port is free. Raises KeepfactError."""
    host, _, port = listen.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    try:
        number = int(port)
        listener = socket.create_server((host, number), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except (OSError, ValueError, OverflowError) as error:
        raise KeepfactError(
            f"expected to listen on host:port, as 127.0.0.1:0, but on {listen!r} that is not possible: {error}. "
            "Correct --listen."
        ) from None
    # asyncio does so only for connections of a listener of its own: an answer in two parts would wait for an
    # acknowledgement in between, up to 40 ms.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def url_of(listener: socket.socket) -> str:
    """Where it is reached."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
