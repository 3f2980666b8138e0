"""What is kept of the paths is what a search finds."""

from dataclasses import replace

import pytest

from keepfact.model import paths
from keepfact.model.edge_classes import edge_class
from keepfact.model.paths import Tree, main, paths_of, search, taken
from keepfact.model.scopes import COSTS, RETRY, SCOPES, Scope


@pytest.mark.parametrize("scope", [RETRY, COSTS], ids=lambda scope: scope.name)
def test_a_path_that_is_read_is_as_short_as_one_that_is_found(scope: Scope) -> None:
    found, read = search(scope), paths_of(scope)
    assert {shown: len(walk) for shown, walk in found.items()} == {shown: len(walk) for shown, walk in read.items()}
    assert read == Tree.of(found.values()).paths()


def test_each_path_ends_in_its_class() -> None:
    for shown, walk in paths_of(RETRY).items():
        *_, last = taken(walk)
        assert edge_class(last) == shown


def test_every_class_of_every_scope_has_a_path() -> None:
    assert {scope.name: len(paths_of(scope)) for scope in SCOPES} == {scope.name: scope.classes for scope in SCOPES}


def test_a_pin_that_is_wrong_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "SCOPES", (replace(RETRY, classes=RETRY.classes - 1),))
    with pytest.raises(SystemExit) as stopped:
        main()
    assert f"there are {RETRY.classes}" in str(stopped.value)


def test_a_file_that_is_stale_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "SCOPES", (RETRY,))
    monkeypatch.setattr("sys.argv", ["paths", "--check"])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert "stale" in str(stopped.value)
