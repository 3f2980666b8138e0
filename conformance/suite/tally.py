"""What all tests of the suite add up to, wherever they ran: which rules spoke, and which never did."""

import pytest

from keepfact.conformance.verdicts import Verdict
from keepfact.conformance.words import in_short
from keepfact.spec.book import BOOK
from keepfact.spec.vocabulary import Capability, Contract

from . import SUITE


class Tally:
    """A plugin of the process that reports. A whole suite that leaves a rule unexercised is not a pass."""

    def __init__(self) -> None:
        self._spoken: set[str] = set()
        self._offered: tuple[frozenset[Contract], frozenset[Capability]] | None = None
        self._system = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.nodeid.startswith(SUITE) or report.when != "teardown":
            return
        said = {str(name): str(value) for name, value in report.user_properties}
        self._spoken.update(said.get("rules", "").split())
        self._system = f"{said['system']}, {said['versions']}"
        self._offered = (
            frozenset(map(Contract, said["contracts"].split())),
            frozenset(map(Capability, said["capabilities"].split())),
        )

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """pytest ends with 1, as for a failed test, if nothing failed and yet a rule that can apply never spoke."""
        is_worker = hasattr(session.config, "workerinput")
        if session.exitstatus == pytest.ExitCode.OK and not is_worker and _is_whole(session.config) and self._silent():
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
        if self._offered is None:
            return
        tell = terminalreporter.write_line
        terminalreporter.section(f"keepfact: {self._system}")
        tell(f"book {BOOK.digest[:12]}, seed {config.option.keepfact_seed}, profile {config.option.keepfact_profile}")
        apart = [rule.id for rule in BOOK.rules if not rule.applies_to(*self._offered)]
        outside = [rule.id for rule in BOOK.rules if rule.needs_world and rule.id not in apart]
        tell(f"{len(self._spoken)} of {len(BOOK.rules)} rules were exercised")
        if apart:
            tell(f"{Verdict.NOT_APPLICABLE}, the system does not declare what they are about: {in_short(apart)}")
        if outside:
            tell(f"{Verdict.NOT_APPLICABLE}, only experiments against servers outside show them: {in_short(outside)}")
        if silent := self._silent():
            whole = "and so this is not a pass" if _is_whole(config) else "by this part of the suite"
            tell(f"{Verdict.NOT_EXERCISED}, {whole}: {in_short(silent)}")
        tell("That each rule could have failed is not shown here, but by `keepfact verify`.")

    def _silent(self) -> list[str]:
        """The rules that apply, that a harness can exercise which plays the outside itself, and that never spoke."""
        if self._offered is None:
            return []
        could = (rule for rule in BOOK.rules if rule.applies_to(*self._offered) and not rule.needs_world)
        return [rule.id for rule in could if rule.id not in self._spoken]


def _is_whole(config: pytest.Config) -> bool:
    """Nothing was left out by an option; what nobody wanted to be exercised is not missing."""
    chosen = ("keyword", "markexpr", "deselect", "lf", "stepwise", "collectonly")
    parts = any("::" in str(arg) for arg in config.args)
    return not parts and not any(config.getoption(option, None) for option in chosen)
