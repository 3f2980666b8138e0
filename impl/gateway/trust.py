"""Whether the database lets this gateway ask for those whom its tokens stand for, found out before anybody asks."""

import logging
from collections.abc import Collection, Iterator, Sequence

from ..errors import NotTrustedError
from ..store import ConnectionLostError, Identity, NotAllowedError, Store

log = logging.getLogger("keepfact.gateway")


def check_trust(store: Store, doors: Collection[str], identities: Sequence[Identity]) -> None:
    """Raises NotTrustedError, which names what is wrong; otherwise each request would be refused without a reason.

    `identities` has one for each tenant. Nothing is said against a database that is away: it is waited for.
    """
    try:
        for door, identity in _asked(doors, identities):
            _check(store, door, identity)
    except ConnectionLostError:
        log.warning("the database does not answer yet, so that nobody knows whether it trusts this gateway")


def _asked(doors: Collection[str], identities: Sequence[Identity]) -> Iterator[tuple[str, Identity]]:
    """Each login must be trusted, and each tenant must be there: both are seen without trying every pair."""
    yield from ((door, identity) for door in doors for identity in identities[:1])
    yield from (("observe", identity) for identity in identities[1:])


def _check(store: Store, door: str, identity: Identity) -> None:
    try:
        store.speaking_for(identity).check_behalf(door)
    except NotAllowedError as error:
        raise NotTrustedError(
            expected=f"the login of the entry point {door} to be one that may ask for the tenant {identity.tenant}",
            seen=f"the database says: {error}",
            next_step="As the owner of the installation, found the tenant, and set acts_for_others in keepfact.logins "
            "for each login of this gateway (Installation.found_tenant and trust_logins do so); then start again.",
        ) from None
