"""Systems that can be put to the test, opened by name."""

import importlib
import os
import sys
from collections.abc import Callable
from types import ModuleType

from keepfact.conformance.asking import place_of
from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.patience import VARIABLE, TookTooLong, patience_seconds, patiently
from keepfact.conformance.system import HOOKS, System, SystemUnavailableError, capabilities_of, missing_hooks
from keepfact.spec.vocabulary import Capability, Contract

_PARTS = ("name", "lease_seconds", "contracts", "perform", "observe", "tick", "versions", "close")
_PATIENCE_AT_START = 10
NAMES = "reference, postgres, gateway, defective:NAME, http://host:port or module:Class"


class UnknownSystemError(SystemUnavailableError):
    """No such system; the message says what was expected, what was seen and what to do."""


def open_system(name: str) -> System:
    """Start the system of that name. Whoever opens it closes it."""
    kind, _, rest = name.partition(":")
    if name == "reference":
        from .reference import Reference

        return Reference()
    if name == "postgres":
        from .postgres import Postgres

        return _started(name, Postgres)
    if name == "gateway":
        from .gateway import Gateway

        return _started(name, Gateway)
    if kind == "defective":
        from .defective import open_defective

        return _started(name, lambda: open_defective(rest))
    if kind in {"http", "https"}:
        from .http import OverHttp

        return _started(name, lambda: OverHttp(name))
    if rest:
        return _open_class(kind, rest)
    raise UnknownSystemError(f"expected --system to be {NAMES}, but it is {name!r}.")


def _open_class(module_name: str, class_name: str) -> System:
    """A class of the user's own, without arguments."""
    opener = getattr(_import(module_name, class_name), class_name, None)
    if not callable(opener):
        raise UnknownSystemError(
            f"expected {module_name} to have a class {class_name}, but it has "
            f"{'something else under that name' if opener is not None else 'none'}. Correct --system."
        )
    system: System = _started(f"{module_name}:{class_name}", opener)
    missing = [part for part in _PARTS if not hasattr(system, part)]
    if missing:
        raise UnknownSystemError(
            f"expected {module_name}:{class_name} to be a System, but it has no {', '.join(missing)}. "
            "See keepfact.conformance.system."
        )
    if not (system.contracts and all(isinstance(contract, Contract) for contract in system.contracts)):
        raise UnknownSystemError(
            f"expected the contracts of {module_name}:{class_name} to be a set of keepfact.spec.vocabulary.Contract "
            f"with at least one in it, but it is {system.contracts!r}. Declare what the system promises."
        )
    offered = capabilities_of(system)
    if not (isinstance(offered, frozenset) and all(isinstance(one, Capability) for one in offered)):
        raise UnknownSystemError(
            f"expected the capabilities of {module_name}:{class_name} to be a frozenset of "
            f"keepfact.spec.vocabulary.Capability, but it is {offered!r}. Declare what the system offers."
        )
    if lacking := missing_hooks(system):
        needing = sorted(one for one in offered if set(HOOKS.get(one, ())) & set(lacking))
        raise UnknownSystemError(
            f"expected {module_name}:{class_name} to have {', '.join(lacking)}, as it declares {', '.join(needing)}, "
            "but it has not. See keepfact.conformance.system."
        )
    return system


def _import(module_name: str, class_name: str) -> ModuleType:
    """The module, also from the folder that the command was given in, as `python -m` would find it."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        return importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        raise UnknownSystemError(
            f"expected to import {module_name} for --system {module_name}:{class_name}, but "
            f"{type(error).__name__}: {error}. Run from the folder that holds it, or install it."
        ) from error


def _started(name: str, opener: Callable[[], System]) -> System:
    """Whatever goes wrong while a system starts, there is no verdict on it."""
    seconds = patience_seconds() * _PATIENCE_AT_START
    try:
        with patiently(f"start {name}", seconds):
            return opener()
    except KeepfactError:
        raise
    except TookTooLong as error:
        raise SystemUnavailableError(
            f"expected the system {name} to start, but after {seconds:g} seconds it had not. If it needs longer, set "
            f"{VARIABLE}, of which it is given {_PATIENCE_AT_START} times as much."
        ) from error
    except (Exception, SystemExit) as error:
        raise SystemUnavailableError(
            f"expected the system {name} to start, but {type(error).__name__}: {error} ({place_of(error)})."
        ) from error
