"""Clients of a run's stream are cut at every event, during commits and at the end, and come back for the rest."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from enum import StrEnum

from keepfact.conformance.abilities import RunsWorkers, ServesStreams
from keepfact.spec.vocabulary import Capability, Contract, RunId

from ..experiment import Experiment
from ..reaching import held_write
from ..rehearsal import Rehearsal, rehearse
from ..streams.audience import Audience
from ..streams.client import Client
from ..streams.hearing import AFTER_TROUBLE_SECONDS
from ..strikes import Sample, Strike, at_every_seam, before_every_write, chosen, in_order, never_struck, told
from ..subject import Progress
from ..tally import Tally
from ..trial import Stage, Trial
from ..waiting import PATIENCE_SECONDS, NotReachedError

CUT_AGAIN_MAX = 8
"""Of those who came back so many, the latest, are cut again and again; the others listen on to the end."""


class Side(StrEnum):
    """When the clients are cut: while nothing is written to the run, while something is, when it has ended."""

    STANDING = "while the worker stands at the seam"
    DURING = "during the commit"
    ENDED = "after the end"


def course(stage: Stage, progress: Progress, *, deliver: bool, sample: Sample | None) -> Tally:
    """One run with all its clients, after a rehearsal without any; each strike cuts as many as there are events."""
    rehearsal = rehearse(Trial(stage, RunId(f"{stage.title}-rehearsal")))
    planned = plan(rehearsal)
    strikes = chosen(planned, sample)
    assert isinstance(stage.system, ServesStreams)  # the experiment needs it
    trial = Trial(stage, RunId(f"{stage.title}-01"))
    audience = Audience(trial, stage.system, PATIENCE_SECONDS)
    with trial, closing(audience):
        trial.start()
        trial.take_up()
        rounds = Rounds(trial, audience, strikes, progress)
        if deliver:
            rounds.play()
        else:
            rounds.only_listen()
    return Tally(
        seams=rehearsal.seams,
        runs=1,
        delivered=audience.cuts,
        undone=tuple(rounds.undone),
        missed=tuple(f"never struck: {side}" for side in never_struck(tuple(Side), planned)),
        is_whole=len(strikes) == len(planned),
        told=(
            f"{stage.contract}: {len(audience.clients)} clients, {audience.cuts} times cut in {told(strikes, planned)}",
        ),
    )


def plan(rehearsal: Rehearsal) -> tuple[Strike, ...]:
    """At every seam, on the way from each that stands before a write, and after the last."""
    return in_order(
        *at_every_seam(rehearsal, Side.STANDING),
        *before_every_write(rehearsal, Side.DURING),
        Strike(len(rehearsal.seams) + 1, "the run has ended", Side.ENDED),
    )


@dataclass
class Rounds:
    """Goes with the worker from seam to seam. `latest` are the clients that came back last, and listen on since;
    `absent` those that were cut during a commit and came back after it.
    """

    trial: Trial
    audience: Audience
    strikes: Sequence[Strike]
    progress: Progress
    latest: list[Client] = field(default_factory=list)
    absent: list[Client] = field(default_factory=list)
    undone: list[str] = field(default_factory=list)
    done: int = 0

    def __post_init__(self) -> None:
        self._violations_before = len(self.trial.stage.judge.violations)

    def play(self) -> None:
        """All strikes, until something goes wrong: then the run is let finish, and judged as a whole all the same."""
        while self.trial.next_seam() is not None:
            self._try(self._welcome_the_absent)
            has_gone = [self._strike(strike) for strike in self._strikes_at(len(self.trial.seams))]
            if not any(has_gone):
                self.trial.go()
        self.trial.wait_for_exit()
        self._try(self._welcome_the_absent)
        for strike in self._strikes_at(len(self.trial.seams) + 1):
            self._strike(strike)
        self._hear_the_rest()

    def only_listen(self) -> None:
        """Nobody is cut."""
        self.audience.withhold(self.strikes)
        self.audience.newcomer()
        self.audience.newcomer()
        self.trial.finish()
        self._hear_the_rest()

    def _strike(self, strike: Strike) -> bool:
        """Whether the worker was let go on. After something went wrong nothing more is done."""
        if not self._goes_well:
            return False
        if strike.side == Side.DURING:
            self._try(lambda: self._cut_during_the_commit(strike))
        else:
            self._try(lambda: self._cut_at_every_event(strike))
        self.done += 1
        self.progress(self.done, len(self.strikes), f"{strike.side}: {strike.seam}")
        return strike.side == Side.DURING

    def _cut_at_every_event(self, strike: Strike) -> None:
        """Newcomers, each within what follows another event; and those who listen, with all that is committed."""
        self.audience.hear(self.latest)
        listening = [client for client in self.latest or self._who_has_all() if client.now.is_open]
        cut = self.audience.newcomers(range(self.audience.committed + self.audience.is_over)) + listening
        with self.audience.nothing_is_written("clients are cut and come back"):
            self.audience.cut(cut, strike)
            back = cut + [client for client in self.latest if client not in cut]
            self.audience.come_back(back)
            self.audience.hear(back)
        self.latest = back[-CUT_AGAIN_MAX:]

    def _cut_during_the_commit(self, strike: Strike) -> None:
        """The next write waits in the database: half of those who are cut come back before it, half after it."""
        everybody = self.latest or self._who_has_all()
        with (
            held_write(self.trial),
            self.audience.nothing_is_written("clients are cut, and half of them come back"),
        ):
            self.audience.cut(everybody, strike)
            self.latest, self.absent = everybody[::2], everybody[1::2]
            self.audience.come_back(self.latest)
            self.audience.hear(self.latest)
        self.audience.come_back(self.absent)

    def _welcome_the_absent(self) -> None:
        self.audience.hear(self.absent)
        self.latest, self.absent = self.latest + self.absent, []

    def _who_has_all(self) -> list[Client]:
        clients = [self.audience.newcomer(), self.audience.newcomer()]
        self.audience.hear(clients)
        return clients

    def _hear_the_rest(self) -> None:
        """Whoever was left cut comes back; all hear the end."""
        listening = [client for client in self.audience.clients if not client.has_given_up]
        self.audience.come_back([client for client in listening if client.now.is_left_alone])
        if not self._goes_well:
            self.audience.patience_seconds = AFTER_TROUBLE_SECONDS
        self._try(lambda: self.audience.hear(listening))
        self.audience.judge_the_whole()

    def _try(self, what: Callable[[], None]) -> None:
        try:
            what()
        except NotReachedError as error:
            self.undone.append(f"{self.trial.run}: {error}")

    def _strikes_at(self, number: int) -> list[Strike]:
        return [strike for strike in self.strikes if strike.number == number]

    @property
    def _goes_well(self) -> bool:
        return not self.undone and len(self.trial.stage.judge.violations) == self._violations_before


EXPERIMENT = Experiment(
    name="client_reconnects",
    fault="Clients of a run's stream of events are cut by a reset of their connections, within every event and after "
    "it, while its worker stands, while it commits and after the end, and come back with the last number that they "
    "have.",
    rules=("ENTRY.1", "HISTORY.6"),
    not_shown=(
        "Clients were cut by resets of their connections; networks that lose or delay packets were not tried.",
        "The server of the streams lived on while its clients were cut.",
        "No write was given up while clients waited for it.",
    ),
    course=course,
    contracts=(Contract.SETTLE, Contract.RESUME),
    needs=frozenset({Capability.STREAMS}),
    abilities=(RunsWorkers, ServesStreams),
)
