"""Connections: what is asked of them, and what a server says that takes nobody just now."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from keepfact.impl.connect import connect
from keepfact.impl.errors import AccessDeniedError, ServerUnavailableError
from keepfact.impl.server import Server

from .driving import PATIENCE_SECONDS


@contextmanager
def _server_that_says(code: str, message: str) -> Iterator[str]:
    """A server that answers one connection with one error of the protocol; its connection string."""

    def answer() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(1000)
            fields = f"SFATAL\0VFATAL\0C{code}\0M{message}\0\0".encode()
            connection.sendall(b"E" + (len(fields) + 4).to_bytes(4, "big") + fields)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE_SECONDS)
        thread = threading.Thread(target=answer)
        thread.start()
        yield f"host=127.0.0.1 port={listener.getsockname()[1]} sslmode=disable gssencmode=disable"
        thread.join()


@pytest.mark.parametrize("message", ["the database system is starting up", "sorry, too many clients already"])
def test_a_server_that_takes_nobody_just_now_is_unavailable_and_denies_nobody(message: str) -> None:
    with _server_that_says("57P03", message) as dsn, pytest.raises(ServerUnavailableError, match=message):
        connect(dsn)


def test_a_server_that_does_not_let_this_user_in_denies_access() -> None:
    message = 'password authentication failed for user "w"'
    with _server_that_says("28P01", message) as dsn, pytest.raises(AccessDeniedError, match="password authentication"):
        connect(dsn)


def test_a_host_that_vanishes_is_noticed_unless_the_connection_string_says_otherwise(server: Server) -> None:
    with connect(f"{server.dsn} keepalives_count=7") as connection:
        parameters = connection.info.get_parameters()
    assert (parameters["tcp_user_timeout"], parameters["keepalives_count"]) == ("25000", "7")
