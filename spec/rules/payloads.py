"""HISTORY, continued: texts that are large, secret, impossible to store, or no longer needed."""

import hashlib
import re
from dataclasses import replace

from keepfact.spec.vocabulary import (
    ENDS,
    INLINE_MAX,
    RECORD_MAX,
    TEXT_MAX,
    Capability,
    Fail,
    Intend,
    Publish,
    Purge,
    Reason,
    RecordAnswer,
    Refused,
    RunView,
    Step,
)

from .history import chapter

__all__ = ["chapter"]

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
"""NUL, and halves of surrogate pairs: UTF-8 has no place for the latter, and PostgreSQL stores neither."""

_TELLING = 8
"""A credential of fewer characters may stand anywhere by chance, in a digest for example; nobody can judge that."""


@chapter.rule(8, needs={Capability.PAYLOADS}, about=Intend | RecordAnswer | Publish)
def large_texts_are_kept_once_and_secrets_never(step: Step) -> bool | None:
    """A large text is kept once, by its digest and in a format that has a version; a credential stands nowhere in what
    is kept or shown, neither as it is nor as a digest.
    """
    if not step.took_effect:
        return None
    if isinstance(step.cause, Intend):
        credential = step.cause.credential or ""
        return _is_kept_secret(step, step.cause, credential) if len(credential) >= _TELLING else None
    if not isinstance(step.cause, (RecordAnswer, Publish)) or len(text := _text_of(step.cause) or "") <= INLINE_MAX:
        return None
    kept = [payload for payload in step.after.payloads if payload.digest == _digest_of(text)]
    return len(kept) == 1 and kept[0].version >= 1 and kept[0].characters == len(text)


@chapter.rule(9, needs={Capability.PAYLOADS}, about=RecordAnswer | Publish | Fail)
def texts_that_cannot_be_stored_end_definitely(step: Step) -> bool | None:
    """An answer or a body that cannot be stored is refused and changes nothing; a failure is never refused for its
    text, of which a storable record of bounded size is kept; and no text is refused that can be stored.
    """
    if not isinstance(step.cause, (RecordAnswer, Publish, Fail)) or step.is_repeat or step.is_unheard:
        return None
    text = _text_of(step.cause)
    fits = text is None or _can_be_stored(text)
    if step.outcome == Refused(Reason.UNSTORABLE):
        return not fits and not isinstance(step.cause, Fail) and step.changed_nothing
    if fits:
        return None
    if not isinstance(step.cause, Fail):
        return step.had_no_effect
    if not step.took_effect or step.new is None:
        return None
    record = step.new.error
    return record is not None and len(record) <= RECORD_MAX and _can_be_stored(record)


@chapter.rule(10, needs={Capability.PAYLOADS})
def nothing_needed_is_purged(step: Step) -> bool | None:
    """No text is forgotten but by a purge of just that text, and then nothing else changes; it is refused while a run
    that has not ended, an unresolved call or a material needs the text, and not otherwise.
    """
    gone = [payload for payload in step.before.payloads if payload not in step.after.payloads]
    if not isinstance(step.cause, Purge):
        return False if gone else None
    if gone and not _is_purged_alone(step, step.cause.payload):
        return False
    if step.is_repeat or step.is_unheard:
        return None
    is_kept = any(payload.digest == step.cause.payload for payload in step.before.payloads)
    is_needed = any(_needs(run, step.cause.payload) for run in step.before.runs)
    if isinstance(step.outcome, Refused):
        rightly = {Reason.NO_SUCH_PAYLOAD: not is_kept, Reason.PAYLOAD_NEEDED: is_kept and is_needed}
        return rightly.get(step.outcome.reason)
    return bool(gone) and not is_needed


def _text_of(cause: RecordAnswer | Publish | Fail) -> str | None:
    match cause:
        case RecordAnswer():
            return cause.answer
        case Publish():
            return cause.body
        case Fail():
            return cause.error


def _can_be_stored(text: str) -> bool:
    return len(text) <= TEXT_MAX and not _UNSTORABLE.search(text)


def _digest_of(text: str) -> str:
    """SHA-256, in hex, of the text in UTF-8. Also of one that cannot be stored, which then just is not found."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _is_kept_secret(step: Step, intent: Intend, credential: str) -> bool:
    """Neither the credential nor its digest is newly found. What the intent says openly may happen to contain it."""
    before = repr((replace(intent, credential=None), step.old, step.before.payloads))
    after = repr((step.new, step.after.payloads, step.outcome))
    forms = {credential, repr(credential)[1:-1], _digest_of(credential)}
    return not any(form in after and form not in before for form in forms)


def _is_purged_alone(step: Step, payload: str) -> bool:
    stays = tuple(view for view in step.before.payloads if view.digest != payload)
    return step.after == replace(step.before, payloads=stays)


def _needs(run: RunView, payload: str) -> bool:
    """A material of the run is this text, or the run can still go on and has it as an answer or a body."""
    if any(material.digest == payload for material in run.materials):
        return True
    if run.state in ENDS and not run.unresolved:
        return False
    texts = [call.answer or "" for call in run.calls] + [publication.body for publication in run.publications]
    return any(_digest_of(text) == payload for text in texts)
