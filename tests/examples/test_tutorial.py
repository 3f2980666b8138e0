"""The tutorial says what is so: its commands are run in its order, and answer as it tells.

`keepfact verify` is played by its parts, with a shorter search, and with every experiment that fits the store, each
strike of it made; the proof that rules can fail is made up here, since others test it. `pip` is not run, and what goes
out to two processes there stays in one here.
"""

import json
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from typer.testing import CliRunner

from keepfact.cli import app
from keepfact.conformance import asking
from keepfact.conformance.asking import AdapterError
from keepfact.conformance.evidence import DefectRecord, EvidenceReader, EvidenceWriter, steps
from keepfact.conformance.profiles import EFFORTS, Effort, Profile
from keepfact.conformance.proof import SelfTest
from keepfact.conformance.recorder import Move
from keepfact.conformance.second import exported
from keepfact.conformance.systems import open_system
from keepfact.conformance.touring import tours_of_all
from keepfact.conformance.verdicts import ExitCode
from keepfact.conformance.verification import Verification
from keepfact.fault_injection.experiment import find_experiments
from keepfact.reports import console as show
from keepfact.spec.book import BOOK
from keepfact.spec.vocabulary import Asked, Observation, RunId

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
ASKED = "pytest_keepfact"
LOADED = [] if any(one.name == ASKED for one in entry_points(group="pytest11")) else ["-p", ASKED]
ENDS = {"evidence/first": 1, "evidence/second": 0}
"""What `verify` ends with, as the text around its commands says."""


@dataclass(frozen=True)
class Block:
    """A block of the page: what kind, and its text."""

    kind: str
    text: str

    @property
    def commands(self) -> Iterator[tuple[str, str]]:
        """Each command with the answer below it."""
        for part in re.split(r"^\$ ", self.text, flags=re.MULTILINE)[1:]:
            command, _, answer = part.partition("\n")
            yield command, answer


BLOCKS = [Block(kind, text) for kind, text in re.findall(r"^```(\w+)\n(.*?)^```$", TUTORIAL, re.DOTALL | re.MULTILINE)]


def test_its_commands_answer_as_it_says(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EFFORTS, Profile.QUICK, Effort(traces=60, steps=4, tours_in_brief=True))
    monkeypatch.syspath_prepend(str(pytester.path))
    for file in (ROOT / "examples" / "adapters").glob("*.py"):
        shutil.copy(file, pytester.path)
    played = []
    for block in BLOCKS:
        if block.kind == "diff":
            mend(pytester.path, block.text)
        for command, answer in block.commands if block.kind == "console" else ():
            said = play(command, pytester)
            assert said is None or re.search(as_pattern(answer), said), f"{command}\n{said}"
            played.append(command.split()[0])
    assert (played.count("keepfact"), played.count("pytest")) == (3, 4)


def test_its_code_is_that_of_the_example() -> None:
    code = (ROOT / "examples" / "adapters" / "adapter.py").read_text()
    assert all(block.text in code for block in BLOCKS if block.kind == "python")


def test_the_template_says_at_each_blank_what_it_wants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "adapters"))
    system = open_system("template:MySystem")
    asked = [taken.said for walk in tours_of_all(system.contracts, frozenset()) for taken in map(Move, walk)]
    commands = {type(cause): cause for cause in asked if isinstance(cause, Asked)}
    assert len(commands) > 10
    for command in commands.values():
        with pytest.raises(AdapterError, match="fill this in: ") as told:
            asking.perform(system, command)
        assert "which comes with a capability" not in str(told.value)
    with pytest.raises(AdapterError, match="fill this in: show run"):
        asking.observe(system, [RunId("run")], Observation())
    with pytest.raises(AdapterError, match="fill this in: let 7 seconds pass"):
        asking.tick(system, 7)


def test_whoever_reads_of_raising_reads_of_the_one_place_where_it_is_a_verdict() -> None:
    template = (ROOT / "examples" / "adapters" / "template.py").read_text()
    for page in (TUTORIAL, (ROOT / "README.md").read_text(), template):
        assert re.search(r"ENTRY\.5", page)
        assert re.search(r"Refused\((kf\.Reason\.)?MALFORMED\)", page)


def test_its_workflow_runs_its_commands() -> None:
    (workflow,) = [block.text for block in BLOCKS if block.kind == "yaml"]
    known = [command for block in BLOCKS if block.kind == "console" for command, _ in block.commands]
    for line in re.findall(r"- run: (.*)", workflow):
        assert line.removesuffix(" --junitxml keepfact.xml") in known


def test_its_links_lead_somewhere() -> None:
    links = re.findall(r"\]\((\.\./[^)]*)\)", TUTORIAL)
    assert len(links) == 5
    assert all((ROOT / "docs" / link).resolve().is_file() for link in links)


def play(command: str, pytester: pytest.Pytester) -> str | None:
    """What the command says; None for one that is not run here."""
    for name in ("adapter", "store"):  # or the store that was mended would still be the one before
        sys.modules.pop(name, None)
    program, *arguments = command.split()
    match program:
        case "pip" | "cd":
            return None
        case "keepfact" if arguments[0] == "verify":
            return verified(pytester.path, *arguments[1:])
        case "keepfact":
            return checked(pytester.path, *arguments)
        case "pytest":
            alone = [one for one in arguments if one not in ("-n", "2")]
            ended = pytester.runpytest_inprocess(*LOADED, "-p", "no:cacheprovider", "--tb", "short", *alone)
            return str(ended.stdout.str())
    raise AssertionError(f"nothing plays {command!r}")


def verified(folder: Path, option: str, name: str, out_option: str, out: str) -> str:
    """As `keepfact verify --system NAME --out OUT`."""
    assert (option, out_option) == ("--system", "--out")
    rules = tuple(rule.id for rule in BOOK.rules)
    system = open_system(name)
    with EvidenceWriter(folder / out) as evidence, show.console.capture() as said:
        run = Verification(system, evidence, Profile.QUICK, 7, name)
        run.lockstep()
        assert run.meetings() is None
        fitting = [experiment for experiment in find_experiments() if experiment.suits(system)]
        assert [experiment.name for experiment in fitting] == ["bad_input"]
        for experiment in fitting:
            record = experiment.run(system, run.judge, evidence, lambda done, total, text: None)
            run.experiment(record, experiment.not_shown)
        run.selftest(SelfTest((), (DefectRecord(name="made up", predicted=rules, killed_by=rules),)))
        conclusion = run.conclude()
        show.show_stories(run.stories, out)
        show.show_verdicts(conclusion.rules, conclusion.verdict, conclusion.level, run.untried)
    system.close()
    assert conclusion.exit_code == ENDS[out]
    return said.get()


def checked(folder: Path, *arguments: str) -> str:
    """As `keepfact check FILE`, of a history that the store has had."""
    records = list(EvidenceReader(folder / "evidence" / "second"))
    history = [exported(step) for trace, step in steps(records) if trace == "tour-1"]
    (folder / arguments[-1]).write_text("".join(json.dumps(step) + "\n" for step in history))
    ended = CliRunner().invoke(app, list(arguments))
    assert ended.exit_code == ExitCode.CONFORMANT
    return ended.output


def mend(folder: Path, diff: str) -> None:
    """Change the one line that the diff changes."""
    name, old, new = re.fullmatch(r"--- (\S+)\n-(.*)\n\+(.*)\n", diff).groups()  # type: ignore[union-attr] # as it must
    text = (folder / name).read_text()
    assert text.count(old) == 1
    (folder / name).write_text(text.replace(old, new))


def as_pattern(answer: str) -> str:
    """`…` stands for anything, and lines may be broken elsewhere."""
    words = [re.escape(part) for part in answer.split()]
    return r"\s+".join(words).replace("…", ".*?").join(("(?s)", ""))
