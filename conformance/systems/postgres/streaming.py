"""Streams of the implementation's events, at a gateway that is started only when they are asked for."""

from collections.abc import Mapping
from urllib.parse import quote

from keepfact.conformance.abilities import StreamAddress
from keepfact.conformance.systems.gateway_process import GatewayProcess
from keepfact.impl.store import Identity
from keepfact.spec.vocabulary import EntryPoint, RunId


def address_at(url: str, token: str, run: RunId) -> StreamAddress:
    """Where a gateway at that URL streams the events of a run to who has the token."""
    return StreamAddress(f"{url}/v1/runs/{quote(run, safe='')}/stream", {"Authorization": f"Bearer {token}"})


class Streaming:
    """A gateway in front of these doors, from the first address that is asked for until it is closed."""

    def __init__(self, dsns: Mapping[str, str]) -> None:
        self._dsns = dsns
        self._process: GatewayProcess | None = None
        self._url = ""
        self._issued: set[tuple[str, str]] = set()

    def address(self, identity: Identity, run: RunId) -> StreamAddress:
        """Where the events of a run are streamed to its observer."""
        if self._process is None:
            self._process = GatewayProcess(self._dsns)
            self._url = self._process.start()
        if (identity.tenant, identity.principal) not in self._issued:
            self._issued.add((identity.tenant, identity.principal))
            self._process.issue(self._issued)
        return address_at(self._url, self._process.token(identity.tenant, identity.principal, EntryPoint.OBSERVE), run)

    def close(self) -> None:
        """Leave nothing behind."""
        if self._process is not None:
            self._process.close()
            self._process = None
