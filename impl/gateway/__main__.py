"""One gateway process: `python -m keepfact.impl.gateway`, set up by KEEPFACT_ variables of the environment."""

import logging
import os
import sys

from ..connect import read_dsn
from ..errors import SetupError
from ..store import Store
from .app import Gateway
from .serving import serve
from .settings import GatewaySettings
from .telling import log_to_stderr
from .tokens import Tokens
from .trust import check_trust

log = logging.getLogger("keepfact.gateway")


def main() -> None:
    """Serve until asked to stop; exits 2 when set up wrongly. A database that is away is waited for: see /readyz."""
    log_to_stderr(os.environ.get("KEEPFACT_LOG", "INFO"))
    try:
        settings = GatewaySettings.read(os.environ)
        for dsn in settings.dsns.values():
            read_dsn(dsn)
        tokens = Tokens.read(settings.tokens_file)
        store = Store(settings.dsns)
        check_trust(store, settings.dsns, tokens.each_tenant())
        serve(Gateway(store, settings.dsns, tokens, settings.limits, settings.dsns["observe"]), settings)
    except SetupError as error:
        log.error("%s", error)
        sys.exit(2)
    logging.shutdown()
    # An orderly exit would wait for threads that wait for the database, though nobody waits for their answers any more.
    os._exit(0)


if __name__ == "__main__":
    main()
