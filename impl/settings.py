"""What is set from outside, read once from the environment."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, cast

from .credentials import VARIABLE, dsn_name, with_credentials
from .errors import BadSettingsError
from .outside.costs import Price, read_prices

Source = Literal["given", "embedded", "docker"]
ToolProtocol = Literal["http", "mcp"]


@dataclass(frozen=True)
class ServerSettings:
    """Where the PostgreSQL comes from: the server of `dsn`, a private one from a Python package, or a container."""

    source: Source = "embedded"
    dsn: str = field(default="", repr=False)
    image: str = "postgres:18"

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> "ServerSettings":
        """KEEPFACT_DSN names a server; without it KEEPFACT_SERVER chooses `embedded` (the default) or `docker`."""
        if dsn := environment.get("KEEPFACT_DSN", ""):
            return cls("given", dsn)
        source = environment.get("KEEPFACT_SERVER") or "embedded"
        if source not in ("embedded", "docker"):
            raise BadSettingsError(
                expected="KEEPFACT_SERVER to be 'embedded' or 'docker'",
                seen=f"it is {source!r}",
                next_step="Correct it, or give a server of your own in KEEPFACT_DSN.",
            )
        return cls(cast(Source, source), image=environment.get("KEEPFACT_DOCKER_IMAGE") or cls.image)


@dataclass(frozen=True)
class WorkerSettings:
    """What a worker process needs. Without `heartbeat_seconds` it renews three times in the length of a lease, and only
    for as long as a step may take: one decision of the program, with its writes and its request.

    With `tenant` it works for that tenant, as `principal`; its logins must be ones that may act for others. `dsns` are
    by entry point: those of work and observe, and of wake, recover and reconcile where it may do that too. `release` is
    where its release is found, as module:NAME.
    """

    dsns: dict[str, str] = field(repr=False)
    model_url: str
    tool_url: str
    request_seconds: float = 60.0
    heartbeat_seconds: float | None = None
    step_seconds: float = 300.0
    tenant: str | None = None
    principal: str = "worker"
    release: str | None = None
    tool_protocol: ToolProtocol = "http"
    model_streams: bool = False
    model_prices: Mapping[str, Price] = field(default_factory=dict)

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> "WorkerSettings":
        """Read the variables KEEPFACT_WORK_DSN, KEEPFACT_OBSERVE_DSN and so on, or KEEPFACT_CREDENTIALS."""
        environment = with_credentials(environment)
        return cls(
            dsns={
                **{door: _needed(environment, dsn_name(door)) for door in ("work", "observe")},
                **{door: dsn for door in ("wake", "recover", "reconcile") if (dsn := environment.get(dsn_name(door)))},
            },
            model_url=_url(environment, "KEEPFACT_MODEL_URL"),
            tool_url=_url(environment, "KEEPFACT_TOOL_URL"),
            request_seconds=_duration(environment, "KEEPFACT_REQUEST_SECONDS") or cls.request_seconds,
            heartbeat_seconds=_duration(environment, "KEEPFACT_HEARTBEAT_SECONDS"),
            step_seconds=_duration(environment, "KEEPFACT_STEP_SECONDS") or cls.step_seconds,
            tenant=environment.get("KEEPFACT_TENANT") or None,
            principal=environment.get("KEEPFACT_PRINCIPAL") or cls.principal,
            release=environment.get("KEEPFACT_RELEASE") or None,
            tool_protocol=_tool_protocol(environment),
            model_streams=_choice(environment, "KEEPFACT_MODEL_STREAM", ("no", "yes")) == "yes",
            model_prices=_prices(environment),
        )


@dataclass(frozen=True)
class RecoverySettings:
    """What a recovery process needs: at least one of the doors recover, deliver and reconcile; without `tool_url` it
    looks nothing up.
    """

    dsns: dict[str, str] = field(repr=False)
    tool_url: str | None = None
    request_seconds: float = 60.0
    tenant: str | None = None
    principal: str = "recovery"
    tool_protocol: ToolProtocol = "http"

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> "RecoverySettings":
        """Read the variables KEEPFACT_RECOVER_DSN and so on, or KEEPFACT_CREDENTIALS."""
        environment = with_credentials(environment)
        doors = ("recover", "deliver", "reconcile", "observe")
        dsns = {door: dsn for door in doors if (dsn := environment.get(dsn_name(door)))}
        if not dsns.keys() - {"observe"}:
            _needed(environment, dsn_name("recover"))
        return cls(
            dsns,
            _url(environment, "KEEPFACT_TOOL_URL") if environment.get("KEEPFACT_TOOL_URL") else None,
            _duration(environment, "KEEPFACT_REQUEST_SECONDS") or cls.request_seconds,
            environment.get("KEEPFACT_TENANT") or None,
            environment.get("KEEPFACT_PRINCIPAL") or cls.principal,
            _tool_protocol(environment),
        )


__all__ = ["RecoverySettings", "ServerSettings", "Source", "WorkerSettings", "dsn_name"]


def _needed(environment: Mapping[str, str], name: str) -> str:
    if value := environment.get(name):
        return value
    instead = f", or {VARIABLE} with the file of `keepfact install`" if name.endswith("_DSN") else ""
    raise BadSettingsError(
        expected=f"{name} in the environment{instead}", seen="it is not set", next_step="Set it and start again."
    )


def _url(environment: Mapping[str, str], name: str) -> str:
    value = _needed(environment, name)
    if value.startswith(("http://", "https://")):
        return value.rstrip("/")
    raise BadSettingsError(
        expected=f"{name} to be a URL with http or https", seen=f"it is {value!r}", next_step="Correct it."
    )


def _tool_protocol(environment: Mapping[str, str]) -> ToolProtocol:
    return cast(ToolProtocol, _choice(environment, "KEEPFACT_TOOL_PROTOCOL", ("http", "mcp")))


def _choice(environment: Mapping[str, str], name: str, choices: tuple[str, ...]) -> str:
    """One of the choices; the first if nothing is said."""
    value = environment.get(name) or choices[0]
    if value in choices:
        return value
    raise BadSettingsError(
        expected=f"{name} to be {' or '.join(choices)}", seen=f"it is {value!r}", next_step="Correct it."
    )


def _prices(environment: Mapping[str, str]) -> dict[str, Price]:
    try:
        return read_prices(environment.get("KEEPFACT_MODEL_PRICES") or "{}")
    except ValueError as error:
        raise BadSettingsError(
            expected="KEEPFACT_MODEL_PRICES to be JSON such as "
            '{"probe-1": {"prompt_microcents": 250, "completion_microcents": 1000}}',
            seen=str(error),
            next_step="Correct it.",
        ) from None


def _duration(environment: Mapping[str, str], name: str) -> float | None:
    value = environment.get(name)
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        seconds = 0.0
    if 0 < seconds < float("inf"):
        return seconds
    raise BadSettingsError(
        expected=f"{name} to be a number of seconds above 0", seen=f"it is {value!r}", next_step="Correct it."
    )
