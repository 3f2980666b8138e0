"""`keepfact worker` with our release, and `keepfact recover` beside it in the same process group."""

import logging
import os
import subprocess
import sys

from outside import WORKER, WORLD, ready

from keepfact.impl import worker
from keepfact.impl.connect import with_parts
from keepfact.impl.settings import dsn_name

DOORS = ("work", "observe", "wake", "recover", "reconcile", "deliver")


def main():
    host, port = os.environ["KEEPFACT_FIELD_PROXY"].split(":")
    through = {"host": host, "port": port, "sslmode": "disable", "gssencmode": "disable"}
    for door in DOORS:
        os.environ[dsn_name(door)] = with_parts(os.environ[dsn_name(door)], **through)
    os.environ |= {"KEEPFACT_MODEL_URL": WORLD, "KEEPFACT_TOOL_URL": WORLD, "KEEPFACT_RELEASE": "release:RELEASE"}
    logging.basicConfig(level="WARNING")
    subprocess.Popen([sys.executable, "-m", "keepfact.impl.recovery"], stdin=subprocess.DEVNULL, stdout=2)
    own = worker.from_environment(WORKER, os.environ)
    ready()
    worker.serve(own, None, is_for_all=True)


main()
