"""The development server, in memory, on a port of its own."""

import json
import os
import socket
import subprocess
import sys
import time

from outside import free_port

ATTEMPTS = 3
"""It takes ports beside the one that it is given, any of which somebody else may have taken meanwhile: then it ends."""


def started(port):
    command = [os.environ["KEEPFACT_FIELD_HOME"] + "/bin/temporal", "server", "start-dev", "--headless"]
    options = ["--ip", "127.0.0.1", "--port", str(port), "--log-level", "error"]
    return subprocess.Popen([*command, *options], stdin=subprocess.DEVNULL, stdout=2)


def listens(server, port):
    while server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return server.poll() is None  # or it is somebody else who listens there
    return False


for _ in range(ATTEMPTS):
    port = free_port()
    server = started(port)
    if listens(server, port):
        break
else:
    sys.exit(f"expected Temporal's development server to start, but it ended {ATTEMPTS} times; its words are above")
print(json.dumps({"environment": {"FIELD_TEMPORAL": f"127.0.0.1:{port}"}}), flush=True)
server.wait()
