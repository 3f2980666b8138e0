"""A release: the bundles that its workers support, each with the program that their runs follow."""

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from .errors import BadSettingsError
from .programs import probe
from .programs.decisions import FIRST_BUNDLE, Decision, Progress

Program = Callable[[Progress], Decision]
"""Pure: it looks at nothing but what it is given."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Which program talks to which model, and which changed branches it knows. Resolved once, then never changed."""

    program: Program = probe.decide
    model: str = "probe-1"
    markers: tuple[str, ...] = ()

    def branch(self, marker: str) -> Literal["old", "new"]:
        """Which way its runs take where the program was changed behind that marker."""
        return "new" if marker in self.markers else "old"


@dataclass(frozen=True, slots=True)
class Release:
    """Bundles by their names, and the version of the tables that the code is written for."""

    bundles: Mapping[str, Bundle] = field(default_factory=lambda: {FIRST_BUNDLE: Bundle()})
    schema: int = 1

    def bundle_of(self, history: Sequence[Mapping[str, Any]]) -> Bundle:
        """The bundle that the run with this history was admitted with. Raises KeyError if it is not carried."""
        return self.bundles[history[0]["payload"]["bundle"]]

    @property
    def supports(self) -> tuple[str, ...]:
        return tuple(self.bundles)


def load_release(name: str) -> Release:
    """The release that a module has under that name, as `module:NAME`. Raises BadSettingsError."""
    module_name, _, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise BadSettingsError(
            expected="a release as module:NAME, such as my_agent.release:RELEASE",
            seen=f"{name!r} gives none: {error}",
            next_step="Correct KEEPFACT_RELEASE, or start from the folder that holds the module.",
        ) from None
    if not isinstance(found, Release):
        raise BadSettingsError(
            expected=f"{name} to be a keepfact.impl.release.Release",
            seen=f"it is a {type(found).__name__}",
            next_step="Give the name of a Release.",
        )
    return found
