"""Systems opened by name: every way in which a name can be wrong is told, and nothing becomes a verdict."""

from pathlib import Path

import pytest

from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.system import capabilities_of
from keepfact.conformance.systems import UnknownSystemError, open_system
from keepfact.conformance.systems.defective import MUTATIONS, Mutation, NotAppliedError
from keepfact.impl.installation import sql_files
from keepfact.spec.book import BOOK
from keepfact.spec.vocabulary import Capability


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "nope",
            "expected --system to be reference, postgres, gateway, defective:NAME, http://host:port or module:Class, "
            "but it is 'nope'",
        ),
        ("", "but it is ''"),
        ("defective", "there is none called ''"),
        ("defective:", "expected a defect, one of admitted_to_a_retired_bundle, ambiguous_taken_for_not_found, "),
        ("defective:nope", "there is none called 'nope'"),
        ("no_such_module:Thing", "expected to import no_such_module"),
        ("toys:Nope", "expected toys to have a class Nope, but it has none"),
        ("broken:not_a_class", "but it has something else under that name"),
        ("broken:LacksParts", "it has no lease_seconds, contracts, observe, tick, versions, close"),
        ("broken:PromisesNothing", "with at least one in it, but it is frozenset()"),
        ("broken:OffersWords", "to be a frozenset of keepfact.spec.vocabulary.Capability, but it is ('waits',)"),
        ("broken:LacksHooks", "to have perform_in, restart, as it declares sessions, waits, but it has not"),
        (
            "broken:DoesNotStart",
            "expected the system broken:DoesNotStart to start, but ConnectionError: nobody listens",
        ),
    ],
)
def test_a_wrong_name_is_told(name: str, said: str) -> None:
    with pytest.raises(KeepfactError) as told:
        open_system(name)
    assert said in str(told.value)


def test_a_system_offers_the_spine_and_what_it_declares_beyond_it() -> None:
    assert capabilities_of(open_system("toys:SpineOnly")) == frozenset()
    assert capabilities_of(open_system("toys:OffersWaits")) == {Capability.WAITS}


def test_a_module_that_cannot_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "half_written.py").write_text("class Half(")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(UnknownSystemError, match=r"expected to import half_written .* but SyntaxError"):
        open_system("half_written:Half")


def test_a_module_that_exits_is_told_and_does_not_decide_the_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a_script.py").write_text("import sys\nsys.exit(0)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(UnknownSystemError, match=r"expected to import a_script .* but SystemExit: 0"):
        open_system("a_script:Thing")


def test_a_module_is_found_in_the_folder_the_command_is_given_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "from keepfact.conformance.systems.reference import Reference\nclass Mine(Reference):\n    name = 'mine'\n"
    (tmp_path / "my_system_here.py").write_text(source)
    monkeypatch.setattr("sys.path", [path for path in __import__("sys").path if path])
    monkeypatch.chdir(tmp_path)
    assert open_system("my_system_here:Mine").name == "mine"


def test_every_mutation_names_rules_of_the_book_and_says_what_it_is() -> None:
    rules = {rule.id for rule in BOOK.rules}
    assert all(mutation.predicted and set(mutation.predicted) <= rules for mutation in MUTATIONS.values())
    assert all(mutation.sentence.endswith(".") for mutation in MUTATIONS.values())
    assert all(name == mutation.name for name, mutation in MUTATIONS.items())


def test_a_mutation_whose_text_is_gone_is_not_applied_and_says_so() -> None:
    gone = Mutation("gone", "It was.", ("FENCE.1",), (("070_lease.sql", "text that nobody wrote", ""),))
    edit, _ = gone.editor()
    with pytest.raises(NotAppliedError, match=r"gone to find its text once in 070_lease\.sql, but it is there 0 times"):
        sql_files(edit)


def test_a_mutation_whose_file_is_gone_is_not_applied_and_says_so() -> None:
    gone = Mutation("gone", "It was.", ("FENCE.1",), (("no_such.sql", "a", "b"),))
    edit, check = gone.editor()
    sql_files(edit)
    with pytest.raises(NotAppliedError, match=r"to edit no_such\.sql, but no such file was applied"):
        check()


def test_a_mutation_changes_nothing_but_its_own_text() -> None:
    whole = dict(sql_files(lambda name, text: text))
    for mutation in MUTATIONS.values():
        edit, check = mutation.editor()
        edited = dict(sql_files(edit))
        check()
        assert {name for name in whole if whole[name] != edited[name]} == {file for file, _, _ in mutation.edits}
