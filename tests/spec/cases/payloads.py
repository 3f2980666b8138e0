"""Texts that are large, secret, impossible to store, or no longer needed."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    INLINE_MAX,
    RECORD_MAX,
    TEXT_MAX,
    CallView,
    Done,
    EventType,
    Intend,
    MaterialView,
    Observation,
    Outcome,
    PayloadView,
    PublicationView,
    Reason,
    RunState,
    RunView,
    Step,
)

from ..continuing import beside, left, material, payload, purge
from ..steps import (
    ASK,
    DONE,
    LOST,
    TICK,
    accepts,
    call,
    confirmed,
    fail,
    intend,
    is_silent,
    nothing,
    open_,
    over,
    publish,
    record,
    refused,
    rejects,
    renew,
    run,
    step,
    then,
    told,
)

RUNNING, IN_FLIGHT = run(), run(calls=(open_(),))

CONFLICT = refused(Reason.COMMAND_ID_CONFLICT)

ENDED = run(RunState.FAILED)

LARGE, OTHER, SMALL = "x" * (INLINE_MAX + 1), "y" * (INLINE_MAX + 1), "x" * INLINE_MAX

KEPT, KEPT_OTHER = payload(LARGE), payload(OTHER)

SECRET = "open sesame"

WITH_SECRET = replace(intend(), credential=SECRET)

INTENDED = told(RUNNING, EventType.INTENDED, call())

UNSTORABLE = refused(Reason.UNSTORABLE)

UNSTORABLE_TEXTS = {"NUL": "a\0b", "half of a surrogate pair": "a\ud800b", "too long": "x" * (TEXT_MAX + 1)}

LONGEST = "x" * TEXT_MAX

NUL = UNSTORABLE_TEXTS["NUL"]

NEEDED, UNHEARD_OF = refused(Reason.PAYLOAD_NEEDED), refused(Reason.NO_SUCH_PAYLOAD)


def answered(text: str, *kept: PayloadView, before: tuple[PayloadView, ...] = (), outcome: Outcome = DONE) -> Step:
    """An answer is recorded, and then these texts are kept."""
    answer = told(IN_FLIGHT, EventType.ANSWERED, confirmed(answer=text))
    asked = replace(record(), answer=text)
    return beside(step(asked, IN_FLIGHT, answer, outcome), payloads=before, after={"payloads": kept})


def bodied(text: str, *kept: PayloadView, before: tuple[PayloadView, ...] = ()) -> Step:
    """A body is published, and then these texts are kept."""
    published = then(RUNNING, EventType.PUBLISHED, publications=(PublicationView(1, text, True),))
    asked = replace(publish(), body=text)
    return beside(step(asked, RUNNING, published), payloads=before, after={"payloads": kept})


def intended(view: CallView, *kept: PayloadView, outcome: Outcome = DONE, cause: Intend = WITH_SECRET) -> Step:
    return beside(step(cause, RUNNING, told(RUNNING, EventType.INTENDED, view), outcome), after={"payloads": kept})


def failed(error: str | None, recorded: str | None, outcome: Outcome = DONE) -> Step:
    after = over(RUNNING, RunState.FAILED, EventType.ENDED, error=recorded)
    return step(replace(fail(), error=error), RUNNING, after, outcome)


def purged(*runs: RunView, outcome: Outcome = DONE, kept: tuple[PayloadView, ...] = (KEPT, KEPT_OTHER)) -> Step:
    """LARGE is purged while there are these runs; OTHER stays."""
    stays = {"payloads": tuple(view for view in kept if view != KEPT)}
    return beside(step(purge(LARGE), None, None, outcome), *runs, payloads=kept, after=stays)


def not_purged(*runs: RunView, outcome: Outcome, kept: tuple[PayloadView, ...] = (KEPT, KEPT_OTHER)) -> Step:
    return beside(step(purge(LARGE), None, None, outcome), *runs, payloads=kept)


def answered_with(text: str, state: RunState = RunState.RUNNING, *more: CallView) -> RunView:
    return run(state, calls=(confirmed(answer=text), *more))


def texted(digest: str) -> MaterialView:
    return replace(material(), digest=digest)


CASES = [
    accepts("HISTORY.8", "a large answer kept once", answered(LARGE, KEPT)),
    accepts("HISTORY.8", "the same although its answer was lost", answered(LARGE, KEPT, outcome=LOST)),
    accepts("HISTORY.8", "a large body kept once", bodied(LARGE, KEPT)),
    accepts("HISTORY.8", "a large body that was kept before", bodied(LARGE, KEPT, before=(KEPT,))),
    accepts("HISTORY.8", "a large text beside another", bodied(LARGE, KEPT_OTHER, KEPT, before=(KEPT_OTHER,))),
    rejects("HISTORY.8", "a large answer that is not kept", answered(LARGE)),
    rejects("HISTORY.8", "a large answer lost with its confirmation", answered(LARGE, outcome=LOST)),
    rejects("HISTORY.8", "a large body under another digest", bodied(LARGE, KEPT_OTHER)),
    rejects("HISTORY.8", "a large body kept twice", bodied(LARGE, KEPT, KEPT, before=(KEPT,))),
    rejects("HISTORY.8", "a second version beside the first", bodied(LARGE, KEPT, payload(LARGE, version=2))),
    rejects("HISTORY.8", "a text without a version", bodied(LARGE, payload(LARGE, version=0))),
    rejects("HISTORY.8", "a text cut short", bodied(LARGE, payload(LARGE, characters=INLINE_MAX))),
    accepts("HISTORY.8", "an intent that forgets its credential", intended(call())),
    accepts(
        "HISTORY.8",
        "a digest that happens to hold the credential",
        intended(call(digest=f"of {SECRET}"), cause=replace(WITH_SECRET, digest=f"of {SECRET}")),
    ),
    rejects("HISTORY.8", "a credential among the arguments", intended(call(digest=f"arguments {SECRET}"))),
    rejects("HISTORY.8", "a credential kept unheard", intended(call(digest=SECRET), outcome=LOST)),
    rejects("HISTORY.8", "a credential kept as an answer", intended(call(answer=SECRET))),
    rejects("HISTORY.8", "a credential kept by its digest", intended(call(), payload(SECRET))),
    rejects("HISTORY.8", "a credential told to the caller", intended(call(), outcome=Done(decision=SECRET))),
    rejects(
        "HISTORY.8",
        "a credential that has to be quoted",
        intended(call(digest='it\'s\n"so"'), cause=replace(WITH_SECRET, credential='it\'s\n"so"')),
    ),
    rejects(
        "HISTORY.8",
        "a credential in the decision",
        step(WITH_SECRET, RUNNING, replace(INTENDED, next_decision=f"send {SECRET}")),
    ),
    is_silent("HISTORY.8", "the text is small", answered(SMALL)),
    is_silent(
        "HISTORY.8",
        "the credential may stand anywhere",
        intended(call(), cause=replace(WITH_SECRET, credential="open")),
    ),
    is_silent("HISTORY.8", "there is no credential", step(intend(), RUNNING, INTENDED)),
    is_silent(
        "HISTORY.8", "a large body is refused", nothing(replace(publish(), body=LARGE), ENDED, refused(Reason.SEALED))
    ),
    is_silent("HISTORY.8", "the intent never arrived", nothing(WITH_SECRET, RUNNING, LOST)),
    *(
        accepts("HISTORY.9", f"a refused body: {what}", nothing(replace(publish(), body=text), RUNNING, UNSTORABLE))
        for what, text in UNSTORABLE_TEXTS.items()
    ),
    *(
        accepts(
            "HISTORY.9", f"a refused answer: {what}", nothing(replace(record(), answer=text), IN_FLIGHT, UNSTORABLE)
        )
        for what, text in UNSTORABLE_TEXTS.items()
    ),
    *(
        accepts("HISTORY.9", f"a failure with a record: {what}", failed(text, "x" * RECORD_MAX))
        for what, text in UNSTORABLE_TEXTS.items()
    ),
    accepts("HISTORY.9", "a failure whose answer was lost", failed(NUL, "cannot be stored", LOST)),
    accepts(
        "HISTORY.9",
        "another reason that comes first",
        nothing(replace(publish(), body=NUL), ENDED, refused(Reason.SEALED)),
    ),
    *(rejects("HISTORY.9", f"a stored body: {what}", bodied(text)) for what, text in UNSTORABLE_TEXTS.items()),
    *(rejects("HISTORY.9", f"a stored answer: {what}", answered(text)) for what, text in UNSTORABLE_TEXTS.items()),
    *(
        rejects("HISTORY.9", f"a failure recorded as it is: {what}", failed(text, text))
        for what, text in UNSTORABLE_TEXTS.items()
    ),
    rejects(
        "HISTORY.9",
        "an answer cut to what can be stored",
        step(replace(record(), answer=NUL), IN_FLIGHT, told(IN_FLIGHT, EventType.ANSWERED, confirmed(answer="ab"))),
    ),
    rejects("HISTORY.9", "a body said to be stored", nothing(replace(publish(), body=NUL), RUNNING, DONE)),
    rejects("HISTORY.9", "a stored body, unheard", replace(bodied(NUL), outcome=LOST)),
    rejects(
        "HISTORY.9",
        "a refusal that counts",
        step(replace(publish(), body=NUL), RUNNING, replace(RUNNING, deaths=1), UNSTORABLE),
    ),
    rejects("HISTORY.9", "a failure refused for its text", nothing(replace(fail(), error=NUL), RUNNING, UNSTORABLE)),
    rejects("HISTORY.9", "a failure without a record", failed(NUL, None)),
    rejects("HISTORY.9", "a failure whose record grows", failed(UNSTORABLE_TEXTS["too long"], "x" * (RECORD_MAX + 1))),
    rejects(
        "HISTORY.9", "a body refused that can be stored", nothing(replace(publish(), body=LONGEST), RUNNING, UNSTORABLE)
    ),
    rejects("HISTORY.9", "an answer refused that can be stored", nothing(record(), IN_FLIGHT, UNSTORABLE)),
    is_silent("HISTORY.9", "the body can be stored", bodied(LONGEST, payload(LONGEST))),
    is_silent("HISTORY.9", "a failure says nothing", failed(None, None)),
    is_silent("HISTORY.9", "a failure says little", failed("tool is gone", "tool is gone")),
    is_silent("HISTORY.9", "the answer never arrived", nothing(replace(record(), answer=NUL), IN_FLIGHT, LOST)),
    is_silent(
        "HISTORY.9", "a late failure is refused", nothing(replace(fail(), error=NUL), ENDED, refused(Reason.SEALED))
    ),
    is_silent("HISTORY.9", "no text comes", nothing(renew(), RUNNING, DONE)),
    accepts("HISTORY.10", "a text that nobody has", purged()),
    accepts("HISTORY.10", "a text of a run that ended", purged(answered_with(LARGE, RunState.FAILED))),
    accepts("HISTORY.10", "a purge that nobody heard of", purged(outcome=LOST)),
    accepts(
        "HISTORY.10",
        "a text beside runs that have others",
        purged(answered_with(OTHER), left(texted(KEPT_OTHER.digest))),
    ),
    accepts("HISTORY.10", "an answer that is needed", not_purged(answered_with(LARGE), outcome=NEEDED)),
    accepts(
        "HISTORY.10",
        "a body that is needed",
        not_purged(run(publications=(PublicationView(1, LARGE, True),)), outcome=NEEDED),
    ),
    accepts(
        "HISTORY.10",
        "a text of a run that waits for evidence",
        not_purged(answered_with(LARGE, RunState.UNKNOWN, call(ASK)), outcome=NEEDED),
    ),
    accepts("HISTORY.10", "a material of a run that ended", not_purged(left(texted(KEPT.digest)), outcome=NEEDED)),
    accepts("HISTORY.10", "a text that is not kept", not_purged(outcome=UNHEARD_OF, kept=(KEPT_OTHER,))),
    rejects("HISTORY.10", "an answer purged from under its run", purged(answered_with(LARGE))),
    rejects("HISTORY.10", "the same unheard", purged(answered_with(LARGE), outcome=LOST)),
    rejects(
        "HISTORY.10", "a body purged from under its run", purged(run(publications=(PublicationView(1, LARGE, True),)))
    ),
    rejects(
        "HISTORY.10",
        "a text purged while a call is unresolved",
        purged(answered_with(LARGE, RunState.FAILED, call(ASK))),
    ),
    rejects(
        "HISTORY.10", "a text purged before its evidence", purged(answered_with(LARGE, RunState.UNKNOWN, call(ASK)))
    ),
    rejects("HISTORY.10", "a material purged", purged(left(texted(KEPT.digest)))),
    rejects(
        "HISTORY.10", "a purge that takes more", beside(purged(), after={"payloads": ()}, payloads=(KEPT, KEPT_OTHER))
    ),
    rejects(
        "HISTORY.10",
        "a purge of another text",
        beside(purged(), payloads=(KEPT, KEPT_OTHER), after={"payloads": (KEPT,)}),
    ),
    rejects(
        "HISTORY.10",
        "a purge that edits a run",
        replace(purged(left()), after=Observation((left(error="gone"),), payloads=(KEPT_OTHER,))),
    ),
    rejects("HISTORY.10", "a purge that takes nothing", not_purged(outcome=DONE)),
    rejects("HISTORY.10", "a purge of what is not kept", not_purged(outcome=DONE, kept=())),
    rejects("HISTORY.10", "a refusal that takes it", purged(outcome=NEEDED)),
    rejects("HISTORY.10", "a text withheld that nobody needs", not_purged(answered_with(OTHER), outcome=NEEDED)),
    rejects("HISTORY.10", "a text denied that is kept", not_purged(outcome=UNHEARD_OF)),
    rejects("HISTORY.10", "a text needed that is not kept", not_purged(answered_with(LARGE), outcome=NEEDED, kept=())),
    rejects(
        "HISTORY.10",
        "a text that goes with time",
        beside(step(TICK, RUNNING, RUNNING), payloads=(KEPT,), after={"payloads": ()}),
    ),
    rejects("HISTORY.10", "a text that goes with another", bodied(OTHER, KEPT_OTHER, before=(KEPT,))),
    is_silent("HISTORY.10", "all texts stay", bodied(LARGE, KEPT, KEPT_OTHER, before=(KEPT_OTHER,))),
    is_silent("HISTORY.10", "the purge never arrived", not_purged(outcome=LOST)),
    is_silent("HISTORY.10", "another command has its id", not_purged(outcome=CONFLICT)),
    is_silent("HISTORY.10", "it was purged before", replace(not_purged(outcome=DONE, kept=()), repeats=DONE)),
]
