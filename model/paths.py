"""The shortest path to each class of edges of each scope: searched for once, kept in a file, and found there.

Whoever takes a tour needs them all, and to search for them takes a process many times as long as to read them.
`python -m keepfact.model.paths` writes the file; with `--check` it says whether it is stale.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from keepfact.spec.named import CAUSES, COMMANDS
from keepfact.spec.vocabulary import Asking, Cause, Command, CommandId, Done, Outcome, Session, Step

from .edge_classes import EdgeClass, edge_class
from .scopes import LEASE_SECONDS, SCOPES, Scope
from .state import State
from .step import step
from .view import view
from .walker import Walker

Walk = tuple[Cause | Asking, ...]

FILE = Path(__file__).with_name("paths.json")


@cache
def paths_of(scope: Scope) -> dict[EdgeClass, Walk]:
    """The shortest path to each class of a scope; read, if it is one of the book's own, else searched for."""
    return _kept()[scope.name].paths() if scope in SCOPES else search(scope)


def search(scope: Scope) -> dict[EdgeClass, Walk]:
    """The same, by going through the scope to its last edge."""
    walker = Walker(scope)
    paths: dict[EdgeClass, Walk] = {}
    for state, edge, _ in walker.edges():
        if (found := edge_class(edge)) not in paths:
            paths[found] = _walk(walker.path_along(state, edge))
    return paths


def taken(walk: Walk) -> Iterator[Step]:
    """The steps of the perfect model along a walk, from nothing."""
    at = _At(State(LEASE_SECONDS))
    for cause in walk:
        made, at = at.step(cause)
        yield made


@dataclass(frozen=True, slots=True)
class _At:
    """Where a walk has come to, and what was asked last and answered, since it may be repeated at once."""

    state: State
    asked: Cause | Asking | None = None
    outcome: Outcome | None = None

    def step(self, cause: Cause | Asking) -> tuple[Step, "_At"]:
        outcome, after = step(self.state, cause)
        said, session = (cause.command, cause.session) if isinstance(cause, Asking) else (cause, None)
        repeats = self.outcome if cause == self.asked and isinstance(said, Command) else None
        made = Step(view(self.state), said, outcome, view(after), self.state.truth, after.truth, repeats, session)
        return made, _At(after, cause, outcome if isinstance(outcome, Done) else repeats)


@dataclass(frozen=True, slots=True)
class Tree:
    """Paths with what they have in common told once. `branches` are (the branch before, from 1, or 0; cause)."""

    branches: tuple[tuple[int, Cause | Asking], ...]

    @classmethod
    def of(cls, walks: Iterable[Walk]) -> "Tree":
        """The tree of these walks."""
        places: dict[Walk, int] = {(): 0}
        branches = list[tuple[int, Cause | Asking]]()
        for walk in walks:
            for end in range(1, len(walk) + 1):
                if walk[:end] not in places:
                    branches.append((places[walk[: end - 1]], walk[end - 1]))
                    places[walk[:end]] = len(branches)
        return cls(tuple(branches))

    def paths(self) -> dict[EdgeClass, Walk]:
        """The shortest way in it to each class of edges that it takes."""
        ways: list[tuple[_At, Walk]] = [(_At(State(LEASE_SECONDS)), ())]
        found: dict[EdgeClass, Walk] = {}
        for before, cause in self.branches:
            at, walk = ways[before]
            made, after = at.step(cause)
            way = (*walk, cause)
            ways.append((after, way))
            known = found.setdefault(edge_class(made), way)
            if len(way) < len(known):
                found[edge_class(made)] = way
        return found


def _walk(path: tuple[Step, ...]) -> Walk:
    """What is asked along a path, each command under an id of its own, except where one is repeated on purpose."""
    causes: list[Cause | Asking] = []
    for number, edge in enumerate(path, 1):
        if edge.repeats is not None:
            causes.append(causes[-1])
        elif isinstance(edge.cause, Command):
            command = replace(edge.cause, command_id=CommandId(str(number)))
            causes.append(command if edge.session is None else Asking(edge.session, command))
        else:
            causes.append(edge.cause)
    return tuple(causes)


@cache
def _kept() -> dict[str, Tree]:
    """What the file has, by the name of the scope."""
    content = json.loads(FILE.read_text(encoding="utf-8"))
    causes = [_read(cause) for cause in content["causes"]]
    return {
        name: Tree(tuple((before, causes[place]) for before, place in branches))
        for name, branches in content["scopes"].items()
    }


def _text() -> str:
    """What the file must say: every cause once, and the branches of each scope, with the place of their cause."""
    paths = {scope: search(scope) for scope in SCOPES}
    for scope, found in paths.items():
        if len(found) != scope.classes:
            sys.exit(
                f"expected {scope.classes} classes of edges in {scope.name}, as is pinned, but there are {len(found)}. "
                "Look at the difference before pinning it."
            )
    trees = {scope.name: Tree.of(found.values()) for scope, found in paths.items()}
    places = dict[Cause | Asking, int]()
    for tree in trees.values():
        for _, cause in tree.branches:
            places.setdefault(cause, len(places))
    causes = ",\n".join(json.dumps(_written(cause)) for cause in places)
    scopes = ",\n".join(
        f"{json.dumps(name)}: {json.dumps([[before, places[cause]] for before, cause in tree.branches])}"
        for name, tree in trees.items()
    )
    return f'{{"causes": [\n{causes}\n], "scopes": {{\n{scopes}\n}}}}\n'


def _written(cause: Cause | Asking) -> dict[str, Any]:
    if isinstance(cause, Asking):
        return {"command": COMMANDS.write(cause.command), "session": asdict(cause.session)}
    return CAUSES.write(cause)


def _read(content: dict[str, Any]) -> Cause | Asking:
    if "session" in content:
        return Asking(_SESSION.validate_python(content["session"]), COMMANDS.read(content["command"]))
    cause: Cause = CAUSES.read(content)
    return cause


_SESSION = TypeAdapter(Session)


def main() -> None:
    """Write the file, or check it."""
    if "--check" not in sys.argv[1:]:
        FILE.write_text(_text(), encoding="utf-8")
        print(f"wrote {FILE.name}")
    elif not FILE.is_file() or FILE.read_text(encoding="utf-8") != _text():
        sys.exit(
            f"expected model/{FILE.name} to have the shortest path to each class of edges of the scopes, but it is "
            "stale. Run `python -m keepfact.model.paths`."
        )


if __name__ == "__main__":
    main()
