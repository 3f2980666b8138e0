"""One process: `python -m keepfact.fault_injection.world --ledger FILE`.

Prints one line of JSON with its `url` when it is ready, and ends when its standard input closes, so that it never
outlives whoever started it.
"""

import argparse
import asyncio
import json
import sys
from pathlib import Path

from keepfact.conformance.listening import bound

from .ledger import Ledger
from .serving import serve


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m keepfact.fault_injection.world", description=__doc__)
    parser.add_argument("--ledger", type=Path, required=True, help="a new file for the ledger of truth")
    ledger = parser.parse_args().ledger
    asyncio.run(serve(Ledger(ledger), bound("127.0.0.1:0"), _say, _end_of_input))


def _say(url: str) -> None:
    print(json.dumps({"url": url}), flush=True)


async def _end_of_input() -> None:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while await reader.read(4096):
        pass


if __name__ == "__main__":
    main()
