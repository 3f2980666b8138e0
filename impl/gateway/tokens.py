"""Who a bearer token speaks for, and which entry points it opens. Only digests of tokens are known here."""

import hashlib
import hmac
import json
import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from starlette.datastructures import Headers

from ..commands import ENTRY_POINTS
from ..errors import BadSettingsError
from ..store import Identity
from .bodies.fields import Id
from .problems import Problem

log = logging.getLogger("keepfact.gateway")

CHALLENGE = 'Bearer realm="keepfact"'


def _entry_point(name: str) -> str:
    if name in ENTRY_POINTS:
        return name
    raise ValueError(f"one of {', '.join(ENTRY_POINTS)} is expected")


class _Line(BaseModel):
    """What the file says of one token."""

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    token_sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    tenant: Id
    principal: Id
    scopes: list[Annotated[str, AfterValidator(_entry_point)]]


@dataclass(frozen=True, slots=True)
class Token:
    """A token that is known. `digest` names it where something is counted for each."""

    digest: str
    identity: Identity
    scopes: frozenset[str]

    def require(self, scope: str) -> None:
        """Raises a Problem, if the token does not open this entry point."""
        if scope not in self.scopes:
            raise Problem(
                403, "not_allowed",
                expected=f"a token with the scope {scope}",
                seen="this one does not have it",
                next_step="Use another token, or have the scope added to this one.",
                headers={"www-authenticate": f'{CHALLENGE}, error="insufficient_scope", scope="{scope}"'},
            )  # fmt: skip


class Tokens:
    """All that are known. Those of a file are read again once it has changed: they come and go without a restart."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tuple(tokens)
        self._path: str | None = None
        self._version: tuple[int, ...] = ()

    @classmethod
    def read(cls, path: str) -> "Tokens":
        """From a file: a list of {token_sha256 in hex, tenant, principal, scopes} in JSON. Raises BadSettingsError."""
        version = _version_of(path)  # before it is read: what is written meanwhile is read once more
        tokens = cls(_tokens_in(path))
        tokens._path, tokens._version = path, version
        return tokens

    def each_tenant(self) -> list[Identity]:
        """Somebody of each tenant that a token speaks for."""
        return list({token.identity.tenant: token.identity for token in self._tokens}.values())

    def authenticate(self, headers: Headers) -> Token:
        """The token of a request. Raises a Problem, if there is none or it is not known."""
        self._read_again()
        given = headers.getlist("authorization")
        if len(given) != 1:
            raise _unauthenticated("there is none", "")
        scheme, _, credentials = given[0].partition(" ")
        found = self._find(credentials.strip()) if scheme.lower() == "bearer" else None
        if found is None:
            raise _unauthenticated("it is not known", ', error="invalid_token"')
        return found

    def _read_again(self) -> None:
        """A file that cannot be read changes nothing: better the tokens of before than none for anybody."""
        if self._path is None or (version := _version_of(self._path)) == self._version:
            return
        self._version = version
        try:
            self._tokens = tuple(_tokens_in(self._path))
        except BadSettingsError as error:
            log.error("the tokens stay as they were: %s", error)

    def _find(self, credentials: str) -> Token | None:
        """Looks at every token, wherever it is found: how long it takes tells nothing."""
        digest = hashlib.sha256(credentials.encode()).hexdigest()
        found = None
        for token in self._tokens:
            if hmac.compare_digest(token.digest, digest):
                found = token
        return found


def _tokens_in(path: str) -> list[Token]:
    try:
        lines = TypeAdapter(list[_Line]).validate_python(json.loads(Path(path).read_text()))
    except (OSError, ValueError) as error:
        raise BadSettingsError(
            expected="KEEPFACT_TOKENS_FILE to name a list of {token_sha256, tenant, principal, scopes} in JSON",
            seen=_without_values(error),
            next_step="Correct the file; one that is replaced in one step is never read half.",
        ) from None
    return [Token(line.token_sha256, Identity(line.tenant, line.principal), frozenset(line.scopes)) for line in lines]


def _version_of(path: str) -> tuple[int, ...]:
    """Changes with the file; a file that is gone has one of its own."""
    try:
        status = os.stat(path)
    except OSError:
        return ()
    return status.st_ino, status.st_mtime_ns, status.st_size


def _unauthenticated(seen: str, error: str) -> Problem:
    return Problem(
        401, "unauthenticated",
        expected="a bearer token that is known, in the header Authorization",
        seen=seen,
        next_step="Send one.",
        headers={"www-authenticate": CHALLENGE + error},
    )  # fmt: skip


def _without_values(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_input=False, include_url=False)[0]
        return f"{'.'.join(map(str, first['loc'])) or 'it'}: {first['msg']}"
    return f"it cannot be read: {type(error).__name__}"
