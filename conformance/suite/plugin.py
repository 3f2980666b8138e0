"""The options of the suite, and what is collected for it."""

import secrets
import signal
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from keepfact.conformance import guardian
from keepfact.conformance.profiles import Profile
from keepfact.conformance.systems import NAMES
from keepfact.spec.book import BOOK
from keepfact.spec.vocabulary import Contract

from . import SUITE
from .bench import Wanted
from .items import SEARCH, TOURS, Suite
from .tally import Tally

_FOLDER = Path(__file__).resolve().parent


def pytest_addoption(parser: pytest.Parser) -> None:
    """As of `keepfact verify`, as far as they concern lockstep."""
    group = parser.getgroup("keepfact", "keepfact: a system beside the model")
    group.addoption("--system", dest="keepfact_system", metavar="SYSTEM", help=f"required: {NAMES}")
    group.addoption(
        "--contract",
        dest="keepfact_contracts",
        action="append",
        choices=[contract.value for contract in Contract],
        help="only runs under this contract; without it, under all that the system declares",
    )
    group.addoption(
        "--profile",
        dest="keepfact_profile",
        default=Profile.QUICK.value,
        choices=[profile.value for profile in Profile],
        help="how far to search (default: quick)",
    )
    group.addoption(
        "--seed", dest="keepfact_seed", type=int, metavar="N", help="where chance starts; without it a new one"
    )
    group.addoption(
        "--replays",
        dest="keepfact_replays",
        type=Path,
        default=Path("keepfact-replays"),
        metavar="DIR",
        help="where replays of failures are written (default: keepfact-replays)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """The seed is drawn once, before workers are told of it: what they share is one search."""
    for chapter in BOOK.chapters:
        config.addinivalue_line(
            "markers", f"{chapter.name.lower()}: tours of which {chapter.name} has something to say"
        )
    config.addinivalue_line("markers", f"{TOURS}: walks through the model's scopes")
    config.addinivalue_line("markers", f"{SEARCH}: parts of the search by chance")
    if config.option.keepfact_seed is None:
        config.option.keepfact_seed = secrets.randbelow(2**32)
    config.pluginmanager.register(Tally(), "keepfact-tally")


@pytest.hookimpl(wrapper=True)
def pytest_cmdline_main(config: pytest.Config) -> Generator[None, int | None, int | None]:
    """An adapter that ends the process does not decide pytest's exit code; of one in a worker xdist tells.

    Where pytest is not the program but called by one, nobody watches: what we forked would be that program once more.
    """
    is_program = config.invocation_params.args == tuple(sys.argv[1:])
    if is_program and not hasattr(config, "workerinput"):
        guardian.guarded()
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, _once)
    try:
        code = yield
    except pytest.UsageError:
        guardian.say(pytest.ExitCode.USAGE_ERROR)
        raise
    guardian.say(pytest.ExitCode.OK if code is None else code)
    return code


def _once(number: int, frame: object) -> None:
    """Ctrl-C reaches both, and is passed on besides; a second one would cut off what the first begins."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Help can be had without a system, tests cannot; told before any worker is started."""
    if session.config.option.keepfact_system is None:
        raise pytest.UsageError(
            f"keepfact: expected --system SYSTEM, which is {NAMES}, but there was none. "
            f"For example: pytest --pyargs {SUITE} --system mypackage.mymodule:MySystem"
        )


def pytest_report_header(config: pytest.Config) -> str:
    wanted = _wanted(config)
    return f"keepfact: system {wanted.system}, profile {wanted.profile}, seed {wanted.seed}"


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """The folders of keepfact are no packages of tests: imported as such, its modules would be there twice."""
    if path.resolve() == _FOLDER:
        return Suite.of(parent, path, _wanted(parent.config))
    return pytest.Dir.from_parent(parent, path=path) if path.resolve() in _FOLDER.parents[:2] else None


def _wanted(config: pytest.Config) -> Wanted:
    option = config.option
    return Wanted(
        system=option.keepfact_system,
        contracts=frozenset(map(Contract, option.keepfact_contracts or ())),
        profile=Profile(option.keepfact_profile),
        seed=option.keepfact_seed,
        replays=option.keepfact_replays,
        process=getattr(config, "workerinput", {}).get("workerid", ""),
    )
