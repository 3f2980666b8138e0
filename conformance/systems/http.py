"""A system that is reached over HTTP, in whatever language it is written: see spec/http/openapi.json."""

import json
import re
import secrets
from collections.abc import Sequence
from urllib.parse import urlsplit

from keepfact.conformance.asking import AdapterError
from keepfact.conformance.patience import seconds_said
from keepfact.conformance.system import SystemUnavailableError
from keepfact.conformance.wire.connection import Answer, Connection, CutError, NoAnswerError, TimeOutError
from keepfact.conformance.wire.forms import (
    HARNESS,
    Described,
    read_described,
    read_observation,
    read_outcome,
    write_command,
)
from keepfact.spec.vocabulary import Command, Drift, Lost, Observation, Outcome, RunId, Session

SECONDS_NAME = "KEEPFACT_ADAPTER_SECONDS"
ANSWER_SECONDS = 30.0
"""So long an adapter may take for one answer, unless the environment says otherwise."""
CLOSE_SECONDS = 5.0
TIME_OUTS_MAX = 4
"""So many commands may be lost because no answer came in time. Waiting for more would take a night."""

_PLAIN = re.compile(r"[!-~]+")


class OverHttp:
    """What is served at a URL. A command whose answer does not come is Lost; anything else that is no answer raises."""

    def __init__(self, url: str, answer_seconds: float | None = None) -> None:
        self._url = _checked(url)
        self._seconds = answer_seconds or seconds_said(SECONDS_NAME, ANSWER_SECONDS)
        self._connection = Connection(self._url, {HARNESS: secrets.token_hex(16)})
        self._time_outs = 0
        self.name = f"the system at {self._url}"
        try:
            self._described = self._describe()
        except BaseException:
            self._connection.close()
            raise
        self.name = self._described.name
        self.lease_seconds = self._described.lease_seconds
        self.contracts = self._described.contracts
        self.capabilities = self._described.capabilities

    def perform(self, command: Command) -> Outcome:
        """Do one command, in the session of its entry point."""
        return self._perform(command, None)

    def perform_in(self, session: Session, command: Command) -> Outcome:
        """Do one command as asked by this principal of this tenant, through this door."""
        return self._perform(command, session)

    def observe(self, runs: Sequence[RunId]) -> Observation:
        """Show these runs; asked once more if the connection is cut, since that writes nothing. Who did not answer in
        time is not: the patience with a system would end meanwhile, and say what is of no use here."""
        path, body = "/observe", json.dumps({"runs": list(runs)}).encode()
        try:
            answer = self._ask("POST", path, body)
        except TimeOutError as error:
            raise self._fault(path, "to answer", str(error)) from None
        except CutError:
            answer = self._heard("POST", path, body)
        self._expect(path, 200, answer)
        try:
            return read_observation(answer.body)
        except ValueError as error:
            raise self._misread(path, "an Observation", answer, error) from None

    def begin(self) -> None:
        """Start afresh."""
        self._make_so("/begin")

    def tick(self, seconds: int) -> None:
        """Move the store's clock on."""
        self._make_so("/tick", {"seconds": seconds})

    def drift(self, what: Drift) -> None:
        """Change one of the things that approvals are bound to."""
        self._make_so("/drift", {"what": what.value})

    def restart(self) -> None:
        """Stop the system's processes and start them again."""
        self._make_so("/restart")

    def versions(self) -> dict[str, str]:
        """As the system has said at the beginning."""
        return self._described.versions

    def close(self) -> None:
        """Tell the adapter; what comes of it changes nothing any more."""
        try:
            self._connection.ask("POST", "/close", b"", CLOSE_SECONDS)
        except NoAnswerError:
            pass
        finally:
            self._connection.close()

    def _perform(self, command: Command, session: Session | None) -> Outcome:
        path, body = "/perform", write_command(command, session)
        try:
            answer = self._ask("POST", path, body)
        except TimeOutError as error:
            self._time_outs += 1
            if self._time_outs > TIME_OUTS_MAX:
                raise self._fault(path, "to answer", f"{error}, {self._time_outs} times by now") from None
            return Lost()
        except CutError:
            return Lost()
        self._expect(path, 200, answer)
        try:
            return read_outcome(answer.body)
        except (ValueError, RecursionError) as error:
            raise self._misread(path, "an Outcome", answer, error) from None

    def _describe(self) -> Described:
        path = "/system"
        try:
            answer = self._connection.ask("GET", path, b"", self._seconds)
        except NoAnswerError as error:
            raise SystemUnavailableError(
                f"expected {self._url} to answer GET {path} and say what it is, but {error}. Start an adapter there "
                "that speaks as spec/http/openapi.json says, or correct --system."
            ) from None
        self._expect(path, 200, answer)
        try:
            return read_described(answer.body)
        except ValueError as error:
            raise self._misread(path, "what it is", answer, error) from None

    def _make_so(self, path: str, asked: dict[str, object] | None = None) -> None:
        answer = self._heard("POST", path, b"" if asked is None else json.dumps(asked).encode())
        self._expect(path, 204, answer)

    def _heard(self, method: str, path: str, body: bytes) -> Answer:
        """An answer there must be: without one nobody knows where the system stands."""
        try:
            return self._ask(method, path, body)
        except CutError as error:
            raise self._fault(path, "to answer", str(error)) from None

    def _ask(self, method: str, path: str, body: bytes) -> Answer:
        try:
            return self._connection.ask(method, path, body, self._seconds)
        except CutError:
            raise
        except NoAnswerError as error:
            raise self._fault(path, "to answer", str(error)) from None

    def _expect(self, path: str, status: int, answer: Answer) -> None:
        if answer.status != status:
            told = _detail(answer) or f"{answer.media_type or 'no media type'}, {_beginning(answer.body)}"
            raise self._fault(path, f"to answer with {status}", f"it answered {answer.status}: {told.rstrip('.')}")

    def _misread(self, path: str, form: str, answer: Answer, error: Exception) -> AdapterError:
        seen = f"{error}; it answered ({answer.media_type or 'no media type'}) {_beginning(answer.body)}"
        return self._fault(path, f"to answer with {form} in JSON", seen)

    def _fault(self, path: str, expected: str, seen: str) -> AdapterError:
        return AdapterError(
            f"expected the adapter of {self.name} {expected} when asked {self._url}{path}, but {seen}. "
            "Put that right in the adapter: spec/http/openapi.json says what each answer looks like."
        )


def _checked(url: str) -> str:
    """Without a slash at the end. Raises SystemUnavailableError for what cannot be one."""
    try:
        parts = urlsplit(url)
        is_one = bool(parts.hostname) and parts.scheme in {"http", "https"} and parts.port != 0
    except ValueError:
        is_one = False
    if not is_one or parts.query or parts.fragment or parts.username or not _PLAIN.fullmatch(url):
        raise SystemUnavailableError(
            f"expected --system to be http://host:port, perhaps with a prefix, but it is {url!r}. Correct it."
        )
    return url.rstrip("/")


def _detail(answer: Answer) -> str | None:
    """What the problem says, if it is one."""
    try:
        detail = json.loads(answer.body)["detail"]
    except (ValueError, RecursionError, TypeError, KeyError):
        return None
    return str(detail)[:1_000]


def _beginning(body: bytes) -> str:
    return ascii(body[:100].decode(errors="replace")) + (" …" if len(body) > 100 else "") if body else "nothing"
