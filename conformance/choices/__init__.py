"""What could be asked next: mostly what the model says can succeed, often what is late, stale, wrong or repeated."""

from keepfact.conformance.system import SHOWN_BESIDE, System
from keepfact.conformance.trial import Trial
from keepfact.spec.vocabulary import Asking, Cause, Command

from . import running
from .approving import APPROVING
from .calling import CALLING
from .cancelling import ASSESSING, CANCELLING
from .children import CHILDREN, WAITING_FOR_CHILDREN
from .hand import Draw, Hand, Kinds, Subject
from .handing_over import CONTINUING, HANDING_OVER
from .reading import REPLAYING, STREAMING
from .releasing import MIGRATING, RELEASING
from .running import RUNNING
from .sending import COMPENSATING, SENDING
from .strangers import SESSIONS, asked_by
from .texts import LARGE_FINDINGS, TEXTS
from .waiting import WAITING

SPINE = (RUNNING, CALLING)
BEYOND = (
    *(WAITING, APPROVING, CHILDREN, WAITING_FOR_CHILDREN, CANCELLING, SENDING, COMPENSATING),
    *(HANDING_OVER, CONTINUING, RELEASING, MIGRATING, TEXTS, LARGE_FINDINGS, STREAMING, REPLAYING, ASSESSING),
)
SUBJECTS_MAX = 4
"""So many subjects beyond the spine meet in one trial: of more, none would get far."""


class Choices:
    """Offers the next cause of a trial, run after run. Every command stays at hand to be sent again."""

    def __init__(self, trial: Trial, system: System) -> None:
        self._hand = Hand(trial, system)
        self._subjects: list[Subject] = list(SPINE)
        self._has_strangers = False

    def next_cause(self, draw: Draw) -> Cause | Asking:
        """A command, often a promising one, or a happening."""
        hand = self._hand
        if not hand.runs:
            self._choose_subjects(draw)
            return self._asked(draw, running.submit_new(hand, draw))
        hand.at = draw([hand.runs[-1]] * 3 + hand.runs[:-1])
        kind = draw(self._promising() * 3 + self._anything())
        cause: Cause = kind(hand, draw)
        return self._asked(draw, cause)

    def _choose_subjects(self, draw: Draw) -> None:
        """A few of all that is offered, so that each can come to something in one trial.

        Where strangers come in, nothing is tried that is kept beyond one run: of that one tenant's part is shown.
        """
        offered = [subject for subject in BEYOND if self._hand.offers(*subject.needs)]
        if self._hand.offers(*SESSIONS):
            self._has_strangers = draw((False, False, True))
        if self._has_strangers:
            offered = [subject for subject in offered if subject.needs.isdisjoint(SHOWN_BESIDE)]
        for _ in range(min(SUBJECTS_MAX, len(offered))):
            subject = draw(offered)
            if subject not in self._subjects:
                self._subjects.append(subject)

    def _promising(self) -> Kinds:
        run = self._hand.run
        if run is None:
            return [running.submit_again]
        return [kind for subject in self._subjects for kind in subject.promising(self._hand, run)]

    def _anything(self) -> Kinds:
        return [kind for subject in self._subjects for kind in subject.anything(self._hand)]

    def _asked(self, draw: Draw, cause: Cause) -> Cause | Asking:
        """What happens, or a command and who asks it."""
        if not isinstance(cause, Command):
            return cause
        asked = asked_by(self._hand, draw, cause) if self._has_strangers else cause
        self._hand.sent.append(asked)
        return asked
