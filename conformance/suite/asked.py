"""Brings the suite's plugin in when the suite is asked for, and leaves every other run of pytest as it is.

pytest loads this wherever keepfact is installed, as `pytest_keepfact`; so it imports nothing of keepfact, and adds no
options of its own.
"""

from pathlib import Path

import pytest

SUITE = "keepfact.conformance.suite"
_PLUGIN = "keepfact.conformance.suite.plugin"


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> None:
    """The last moment at which options can still be added."""
    if any(_is_suite(arg) for arg in args):
        early_config.pluginmanager.import_plugin(_PLUGIN)


def _is_suite(arg: str) -> bool:
    place = str(arg).partition("::")[0]
    return place == SUITE or Path(place).parts[-2:] == ("conformance", "suite")
