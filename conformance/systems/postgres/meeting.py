"""Directs several sessions of an installation that was built with milestones: one goes on, the others stand still."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import psycopg

from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.meetings.actors import START, At, Behind, Ended, Meeting, Stand
from keepfact.impl.milestones import ACTOR, MILESTONES_MAX
from keepfact.impl.store import Store
from keepfact.spec.vocabulary import Outcome

PATIENCE_SECONDS = 60.0
"""So long an actor may move without getting anywhere; then something is wrong with how it is directed."""

KEPT_OPEN = 3
"""Sessions of so many actors stay open at every door they came through; a server has only so many to give."""

_STANDS = f"""
    select substring(application_name from '^{ACTOR}([0-9]+)')::integer,
        substring(application_name from '^{ACTOR}[0-9]+ (.*)$'),
        pg_backend_pid() = any(blocking)
    from pg_stat_activity cross join lateral (select pg_blocking_pids(pid)) as _ (blocking)
    where datname = current_database() and state = 'active' and application_name ^@ '{ACTOR}'
        and cardinality(blocking) > 0
"""


class StuckError(KeepfactError):
    """An actor neither got anywhere nor waits for another."""


class Actors:
    """Sessions to act in, opened once and used for one meeting after the other. `dsns` are those of the doors.

    The director's session is theirs from here on.
    """

    def __init__(self, dsns: Mapping[str, str], director: psycopg.Connection) -> None:
        self._dsns, self._director = dsns, director
        self._stores: list[Store] = []
        self._threads = ThreadPoolExecutor(64, "actor")

    @contextmanager
    def meeting(self, asks: Sequence[Callable[[Store], Outcome]]) -> Iterator[Meeting]:
        """One actor for each way to ask."""
        while len(self._stores) < len(asks):
            name = f"{ACTOR}{len(self._stores)}"
            self._stores.append(Store({door: f"{dsn} application_name={name}" for door, dsn in self._dsns.items()}))
        held = [(actor, passed) for actor in range(len(asks)) for passed in range(MILESTONES_MAX)]
        actors, passes = [actor for actor, _ in held], [passed for _, passed in held]
        self._director.execute(
            "select pg_advisory_lock(a, p) from unnest(%s::int[], %s::int[]) as _(a, p)", [actors, passes]
        )
        directed = DirectedMeeting(self._director, self._threads, list(zip(self._stores, asks, strict=False)))
        try:
            yield directed
        finally:
            self._director.execute("select pg_advisory_unlock_all()")
            directed.join()
            for store in self._stores[KEPT_OPEN:]:
                store.close()
            del self._stores[KEPT_OPEN:]

    def close(self) -> None:
        """End the sessions."""
        with ExitStack() as closing:
            closing.callback(self._director.close)
            for store in self._stores:
                closing.callback(store.close)
            closing.callback(self._threads.shutdown)


class DirectedMeeting:
    """One meeting."""

    def __init__(
        self,
        director: psycopg.Connection,
        threads: ThreadPoolExecutor,
        actors: Sequence[tuple[Store, Callable[[Store], Outcome]]],
    ) -> None:
        self._director, self._threads, self._actors = director, threads, actors
        self._answers: dict[int, Future[Outcome]] = {}
        self._passed = dict.fromkeys(range(len(actors)), 0)

    def go_on(self, actor: int) -> None:
        """Let it send its command, or go on from the milestone where it stands."""
        if actor not in self._answers:
            store, ask = self._actors[actor]
            self._answers[actor] = self._threads.submit(ask, store)
        else:
            self._director.execute("select pg_advisory_unlock(%s, %s)", [actor, self._passed[actor]])
            self._passed[actor] += 1

    def stands(self) -> list[Stand]:
        """Where each stands, once none is moving."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (stands := self._looked()) is None:
            if time.monotonic() > deadline:
                raise StuckError(
                    f"expected each actor to get to a milestone, behind another, or to its end within "
                    f"{PATIENCE_SECONDS:.0f} seconds, but one did not. Look at pg_stat_activity."
                )
        # Where an actor is said to be is told a moment before it waits there: the first look may be too early for it.
        return self._looked() or stands

    def _looked(self) -> list[Stand] | None:
        ended = {actor: answer for actor, answer in self._answers.items() if answer.done()}
        standing: dict[int, Stand] = {}
        for actor, milestone, is_directed in self._director.execute(_STANDS):
            standing[actor] = At(milestone) if is_directed else Behind()
        stands: list[Stand] = []
        for actor in range(len(self._actors)):
            if actor in ended:
                stands.append(Ended(ended[actor].result()))
            elif actor not in self._answers:
                stands.append(START)
            elif actor in standing:
                stands.append(standing[actor])
            else:
                return None
        return stands

    def join(self) -> None:
        """Wait until all that was begun has ended."""
        for answer in self._answers.values():
            answer.exception(PATIENCE_SECONDS)
