"""The development server, in memory, on a port of its own."""

import json
import os
import socket
import subprocess
import time

from outside import free_port

port = free_port()
command = [os.environ["KEEPFACT_FIELD_HOME"] + "/bin/temporal", "server", "start-dev", "--headless"]
options = ["--ip", "127.0.0.1", "--port", str(port), "--log-level", "error"]
server = subprocess.Popen([*command, *options], stdin=subprocess.DEVNULL, stdout=2)
while server.poll() is None:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        break
    except OSError:
        time.sleep(0.05)
print(json.dumps({"environment": {"FIELD_TEMPORAL": f"127.0.0.1:{port}"}}), flush=True)
server.wait()
