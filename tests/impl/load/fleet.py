"""Processes that are started again whenever they end, and somebody who kills them."""

import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..warden import Warden

STOPPING_SECONDS_MAX = 30
PAUSE_SECONDS = 0.05


@dataclass
class Post:
    """One process of the fleet, and all that were started in its place."""

    name: str
    kind: str
    arguments: Sequence[str]
    process: "subprocess.Popen[bytes] | None" = None
    is_killed: bool = False


@dataclass
class Fleet:
    """Started again at once whenever one ends. `kills` and `ends` count by kind; nobody should end of itself."""

    environment: Mapping[str, str]
    logs: Path
    guard: Warden
    posts: list[Post] = field(default_factory=list)
    kills: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _over: threading.Event = field(default_factory=threading.Event)
    _keeper: threading.Thread | None = None

    def __enter__(self) -> "Fleet":
        self._keeper = threading.Thread(target=self._keep, name="fleet")
        self._keeper.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Told to stop, they stop; one that does not is an end of its own kind."""
        self._over.set()
        assert self._keeper is not None
        self._keeper.join()
        running = [post for post in self.posts if post.process is not None and post.process.poll() is None]
        for post in running:
            assert post.process is not None
            post.process.terminate()
        for post in running:
            assert post.process is not None
            try:
                status = post.process.wait(STOPPING_SECONDS_MAX)
            except subprocess.TimeoutExpired:
                post.process.kill()
                status = post.process.wait()
            if status != 0:
                self.ends[f"{post.kind} told to stop, status {status}"] += 1

    def add(self, kind: str, count: int, *arguments: str) -> None:
        """So many processes of a module; in its arguments `{name}` stands for the process's own name."""
        for number in range(1, count + 1):
            name = f"{kind}-{number}"
            self.posts.append(Post(name, kind, [argument.format(name=name) for argument in arguments]))

    def kill_one(self, kind: str, chance: random.Random, busy: Collection[str] = ()) -> bool:
        """SIGKILL to one of them, rather to one that is busy; whether one was there."""
        with self._lock:
            alive = [post for post in self.posts if post.kind == kind and post.process and post.process.poll() is None]
            if not alive:
                return False
            post = chance.choice([post for post in alive if post.name in busy] or alive)
            self.kills[f"{kind} at work"] += post.name in busy
            assert post.process is not None
            post.is_killed = True
            post.process.kill()
            post.process.wait()
            self.kills[kind] += 1
            return True

    def _keep(self) -> None:
        while not self._over.is_set():
            with self._lock:
                for post in self.posts:
                    self._look_after(post)
            time.sleep(PAUSE_SECONDS)

    def _look_after(self, post: Post) -> None:
        if post.process is not None:
            if post.process.poll() is None:
                return
            if not post.is_killed:
                self.ends[f"{post.kind} by itself, status {post.process.returncode}"] += 1
        post.is_killed = False
        with (self.logs / f"{post.name}.log").open("ab") as log:
            post.process = subprocess.Popen(
                [sys.executable, *post.arguments],
                env={**os.environ, **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self.guard.watch(post.process.pid)
