"""A server outside that counts what it is asked, and can hold an answer or cut it off.

Like all that these scripts share it has nothing but the standard library in it, and nothing of keepfact.
"""

import http.server
import json
import os
import socket
import struct
import subprocess
import sys
import threading
import urllib.request
from contextlib import suppress

CENTS = {"plan": 3, "pay": 11, "transfer": 13, "words": 2}
TOOLS = ("pay", "transfer")


def ask(what, body=None, key=""):
    """In a worker: one request to the model (plan, words) or to a tool (pay, transfer), and its answer."""
    url = f"http://127.0.0.1:{os.environ['OUTSIDE']}/{what}"
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Idempotency-Key": key})
    with urllib.request.urlopen(request, timeout=90) as answer:
        return json.load(answer)


class Outside(http.server.ThreadingHTTPServer):
    """`seen`: the requests in order, as (what, key, body). `spent`: what they cost; a tool acts once for a key."""

    daemon_threads = True

    def __init__(self, title):
        super().__init__(("127.0.0.1", 0), Handler)
        self.title, self.seen, self.paid, self.spent, self.workers = title, [], set(), 0, []
        self.held, self.cut, self.lock = {}, set(), threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def hold(self, what):
        """Keep the first answer back until the event is set; whoever is asked has acted by then."""
        self.held[what] = threading.Event()
        return self.held[what]

    def asked(self, what):
        return [(key, body) for one, key, body in self.seen if one == what]

    def start(self, *arguments):
        """This script once more, as a worker; SHOW=1 shows what it prints."""
        shown = None if os.environ.get("SHOW") else subprocess.DEVNULL
        command, place = [sys.executable, sys.argv[0], *arguments], {"OUTSIDE": str(self.server_port)}
        self.workers.append(subprocess.Popen(command, env={**os.environ, **place}, stdout=shown, stderr=shown))
        return self.workers[-1]

    def tell(self, said):
        """What was true outside, beside what the engine says."""
        asked = ", ".join(f"{what} {len(self.asked(what))}" for what in CENTS)
        keys = len({key for key, _ in self.asked("pay")})
        sent = [body["amount_cents"] for _, body in self.asked("transfer")]
        print(f"{self.title}\n  outside: {self.spent} cents spent; asked: {asked}; keys of pay: {keys}; sent: {sent}")
        print(f"  engine:  {said}", flush=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for worker in self.workers:
            worker.kill()
            worker.wait()
        self.shutdown()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        here, what, key = self.server, self.path[1:], self.headers["Idempotency-Key"]
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with here.lock:
            is_first = not here.asked(what)
            here.seen.append((what, key, body))
            if what not in TOOLS or (what, key) not in here.paid:
                here.spent += CENTS[what]
                here.paid.add((what, key))
        if is_first and what in here.held:
            here.held[what].wait()
        if is_first and what in here.cut:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()  # a reset: the tool has acted, and nobody hears so
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"cost_cents": CENTS[what]}).encode())

    def handle(self):
        with suppress(OSError, ValueError):  # nobody is there to hear the answer
            super().handle()

    def log_message(self, *_):
        pass
