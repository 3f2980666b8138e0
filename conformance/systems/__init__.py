"""Systems that can be put to the test, opened by name."""

import importlib

from keepfact.conformance.system import System, SystemUnavailableError

_PARTS = ("name", "lease_seconds", "contracts", "perform", "observe", "tick", "versions", "close")
NAMES = "reference, postgres, defective:NAME or module:Class"


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

        return Postgres()
    if kind == "defective":
        from .defective import open_defective

        return open_defective(rest)
    if rest:
        return _open_class(kind, rest)
    raise UnknownSystemError(f"expected --system to be {NAMES}, but it is {name!r}.")


def _open_class(module_name: str, class_name: str) -> System:
    """A class of the user's own, without arguments."""
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise UnknownSystemError(
            f"expected to import {module_name} for --system {module_name}:{class_name}, but: {error}. "
            "Run from the folder that holds it, or install it."
        ) from error
    opener = getattr(module, class_name, None)
    if opener is None:
        raise UnknownSystemError(f"expected {module_name} to have {class_name}, but it has not.")
    system: System = opener()
    missing = [part for part in _PARTS if not hasattr(system, part)]
    if missing:
        raise UnknownSystemError(
            f"expected {module_name}:{class_name} to be a System, but it has no {', '.join(missing)}. "
            "See keepfact.conformance.system."
        )
    return system
