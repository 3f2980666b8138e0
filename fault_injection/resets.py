"""Ending a connection as a broken network does it: by a reset, with whatever is still on its way."""

import socket
import struct

_AT_ONCE = struct.pack("ii", 1, 0)  # SO_LINGER on, zero seconds: close sends RST instead of FIN


def reset_on_close(connection: socket.socket) -> None:
    """Whoever closes this TCP connection from now on resets it: its peer reads ECONNRESET. Raises OSError."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
