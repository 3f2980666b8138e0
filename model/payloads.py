"""Texts: what can be stored, what is kept once by its digest, and what may be forgotten."""

import hashlib

from keepfact.spec.vocabulary import (
    ENDS,
    INLINE_MAX,
    TEXT_MAX,
    Command,
    PayloadView,
    Publish,
    Purge,
    Reason,
    RecordAnswer,
    Refused,
)

from .state import Run, State, WideChange, changed


def is_storable(text: str) -> bool:
    """Whether a database can keep it as it is: no NUL, no half of a character, not too long."""
    return len(text) <= TEXT_MAX and "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def record_of(text: str) -> str:
    """The text, or in constant size what can be said of one that cannot be stored."""
    if is_storable(text):
        return text
    raw = text.encode("utf-8", "surrogatepass")
    return f"unstorable text of {len(text)} characters, sha256 {hashlib.sha256(raw).hexdigest()}"


def digest_of(text: str) -> str:
    """SHA-256 of a text in UTF-8, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def kept_apart(state: State, command: Command) -> State:
    """The state with a large text of this command among the payloads, once."""
    text = command.body if isinstance(command, Publish) else command.answer if isinstance(command, RecordAnswer) else ""
    if len(text) <= INLINE_MAX:
        return state
    payload = PayloadView(digest_of(text), version=1, characters=len(text))
    known = any(one.digest == payload.digest for one in state.payloads)
    return state if known else changed(state, payloads=(*state.payloads, payload))


def purge(state: State, command: Purge) -> WideChange:
    """Only what nothing needs any more is forgotten."""
    payload = next((one for one in state.payloads if one.digest == command.payload), None)
    if payload is None:
        return Refused(Reason.NO_SUCH_PAYLOAD)
    needing = tuple(run.run for run in state.runs if _needs(run, payload.digest))
    if needing:
        return Refused(Reason.PAYLOAD_NEEDED, needing)
    return changed(state, payloads=tuple(one for one in state.payloads if one is not payload))


def _needs(run: Run, digest: str) -> bool:
    texts = [publication.body for publication in run.publications] + [call.answer or "" for call in run.calls]
    is_live = run.state not in ENDS or run.unresolved > 0
    if is_live and any(len(text) > INLINE_MAX and digest_of(text) == digest for text in texts):
        return True
    return any(material.digest == digest for material in run.materials)
