"""What is set from outside for a gateway, read once from the environment."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ..commands import ENTRY_POINTS
from ..credentials import dsn_name, with_credentials
from ..errors import BadSettingsError


@dataclass(frozen=True)
class Limits:
    """What a gateway takes on. Each is set by KEEPFACT_ and its name in capitals."""

    body_bytes_max: int = 2_000_000
    body_seconds: float = 30.0
    depth_max: int = 32
    answer_seconds: float = 30.0
    requests_per_second: float = 100.0
    """For each token, on average; `requests_burst` may come at once."""
    requests_burst: int = 200
    streams_per_token_max: int = 1_000
    streams_max: int = 5_000
    page_max: int = 1_000
    """So many events, or runs, a page may be asked to have."""
    stream_page: int = 50
    """So many events a stream reads ahead of its client."""
    poll_seconds: float = 2.0
    """So often all streamed runs are looked at, if nothing hints that it is worth looking earlier."""
    keep_alive_seconds: float = 15.0
    send_seconds: float = 30.0
    """A client that takes nothing for so long loses its stream."""
    stream_seconds_max: float = 3_600.0
    """Then a client opens its stream again, and its token is looked at again."""
    reconnect_seconds: float = 2.0
    """So long a client is told to wait before it opens a stream again."""
    stop_seconds: float = 10.0
    waiting_max: int = 1_000
    """So many commands, and so many readings, may wait for a thread; one more is not begun."""
    command_threads: int = 8
    """Not above 15, and so for readings: the store opens no more connections for an entry point."""
    reading_threads: int = 6


@dataclass(frozen=True)
class GatewaySettings:
    """What a gateway process needs. `dsns` gives the connection string of each entry point that it opens."""

    dsns: Mapping[str, str] = field(repr=False)
    tokens_file: str
    host: str = "127.0.0.1"
    port: int = 8080
    limits: Limits = field(default_factory=Limits)

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> "GatewaySettings":
        """Read KEEPFACT_TOKENS_FILE, _HOST, _PORT, the limits, and a KEEPFACT_<ENTRY POINT>_DSN for each door.

        KEEPFACT_CREDENTIALS stands for those that are not set.
        """
        environment = with_credentials(environment)
        dsns = {door: dsn for door in ENTRY_POINTS if (dsn := environment.get(dsn_name(door)))}
        return cls(
            dsns={**dsns, "observe": _needed(environment, dsn_name("observe"))},
            tokens_file=_needed(environment, "KEEPFACT_TOKENS_FILE"),
            host=environment.get("KEEPFACT_HOST") or cls.host,
            port=int(_number(environment, "port", cls.port, above=-1)),  # 0: whichever is free
            limits=_limits(environment),
        )


def _limits(environment: Mapping[str, str]) -> Limits:
    read: dict[str, Any] = {
        limit.name: _number(environment, limit.name, getattr(Limits, limit.name)) for limit in fields(Limits)
    }
    return Limits(**read)


def _needed(environment: Mapping[str, str], variable: str) -> str:
    if value := environment.get(variable):
        return value
    raise BadSettingsError(
        expected=f"{variable} in the environment of a gateway",
        seen="it is not set",
        next_step="Set it and start again.",
    )


def _number(environment: Mapping[str, str], name: str, default: float, above: int = 0) -> float:
    """A number above `above`, whole where the default is."""
    variable = f"KEEPFACT_{name.upper()}"
    value = environment.get(variable)
    if not value:
        return default
    try:
        number: float = type(default)(value)
    except ValueError:
        number = above
    if above < number < float("inf"):
        return number
    kind = "whole number" if isinstance(default, int) else "number"
    raise BadSettingsError(
        expected=f"{variable} to be a {kind} above {above}", seen=f"it is {value!r}", next_step="Correct it."
    )
