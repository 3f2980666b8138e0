"""One PostgreSQL server for each pytest process, from wherever the environment says; the model's paths once for all."""

from collections.abc import Iterator
from functools import cache, partial

import pytest

from keepfact.impl.server import Server, postgres_server
from keepfact.model import tours

from .sharing import made_once, shared_folder


@pytest.fixture(scope="session", autouse=True)
def paths_are_found_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Finding the shortest path to every class of edges takes a process a third of a minute."""
    folder, find = shared_folder(tmp_path_factory), tours._paths_of
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            tours, "_paths_of", cache(lambda scope: made_once(folder, f"paths of {scope.name}", partial(find, scope)))
        )
        yield


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with postgres_server() as started:
        yield started
