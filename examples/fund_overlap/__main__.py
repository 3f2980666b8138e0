"""Plays the whole story on a PostgreSQL of its own, with real processes and a real SIGKILL."""

import argparse
from collections.abc import Iterator
from contextlib import closing, contextmanager

from keepfact.impl.installation import Installation
from keepfact.impl.server import postgres_server
from keepfact.impl.store import Store

from .at_the_store import AtTheStore
from .outside import Outside
from .over_http import over_http
from .stage import Door, Stage
from .story import play

LEASE_SECONDS = 120


def main() -> None:
    """People ask at the store itself, or with --http through a gateway; the story is the same."""
    parser = argparse.ArgumentParser(prog="python -m fund_overlap", description=__doc__)
    parser.add_argument("--http", action="store_true", help="ask over HTTP, and show each request as a curl call")
    is_over_http = parser.parse_args().http
    with (
        _installation() as installation,
        closing(Store(installation.dsns)) as store,
        closing(Outside()) as outside,
        _door(is_over_http, installation, store) as door,
    ):
        play(Stage(door, store, outside, installation))


@contextmanager
def _installation() -> Iterator[Installation]:
    """Its leases are long, and its logins may ask on behalf of people."""
    with postgres_server() as server, Installation.create(server.dsn) as installation:
        with installation.admin_connection() as admin:
            admin.execute("update keepfact.settings set lease_seconds = %s", [LEASE_SECONDS])
            installation.trust_logins(admin)
        yield installation


@contextmanager
def _door(is_over_http: bool, installation: Installation, store: Store) -> Iterator[Door]:
    if is_over_http:
        with over_http(installation) as door:
            yield door
    else:
        yield AtTheStore(store)


if __name__ == "__main__":
    main()
