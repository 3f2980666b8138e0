"""Processes that are killed, frozen and let go on, and waiting for facts."""

import signal
import socket
import time
from pathlib import Path

PATIENCE_SECONDS = 90


def until(fact, seconds=PATIENCE_SECONDS):
    """What `fact` says, as soon as that is true of anything."""
    give_up_at = time.monotonic() + seconds
    while not (seen := fact()):
        if time.monotonic() > give_up_at:
            raise SystemExit(f"after {seconds} s it was not so")
        time.sleep(0.05)
    return seen


def kill(worker):
    worker.kill()
    worker.wait()


def freeze(worker):
    """From outside, and wait until the kernel says so."""
    worker.send_signal(signal.SIGSTOP)
    state = Path(f"/proc/{worker.pid}/stat")
    until(lambda: state.read_text().rpartition(")")[2].split()[0] == "T")


def wake(worker):
    worker.send_signal(signal.SIGCONT)


def free_port():
    """A port of this host that nobody listens at now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def listens(*ports):
    """Somebody takes connections at each of these ports of this host."""
    return all(socket.socket().connect_ex(("127.0.0.1", port)) == 0 for port in ports)
