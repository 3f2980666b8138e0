"""What a mutation is: an exact piece of the implementation's SQL, exchanged, and the rules that must see it."""

from collections.abc import Callable
from dataclasses import dataclass

from keepfact.conformance.errors import KeepfactError


class NotAppliedError(KeepfactError):
    """A mutation did not find its text exactly once: it would have tested nothing."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """One thing broken in the real SQL. `edits` are (file, text that stands there exactly once, text instead).

    A search for it must end in one of the rules in `predicted`. `reported` are the faults that real systems had, as
    B01, which it shows. One that `shows_in_meetings` shows only where commands meet.
    """

    name: str
    sentence: str
    predicted: tuple[str, ...]
    edits: tuple[tuple[str, str, str], ...]
    reported: tuple[str, ...] = ()
    shows_in_meetings: bool = False

    def editor(self) -> tuple[Callable[[str, str], str], Callable[[], None]]:
        """The function that edits each file as it is applied, and one that says whether every edit was made."""
        missing = set(range(len(self.edits)))

        def edit(name: str, text: str) -> str:
            for number, (file, old, new) in enumerate(self.edits):
                if file != name:
                    continue
                if text.count(old) != 1:
                    raise NotAppliedError(
                        f"expected the defect {self.name} to find its text once in {file}, but it is there "
                        f"{text.count(old)} times. The SQL has changed: change the defect with it."
                    )
                text = text.replace(old, new)
                missing.discard(number)
            return text

        def check() -> None:
            if missing:
                files = ", ".join(sorted({self.edits[number][0] for number in missing}))
                raise NotAppliedError(f"expected the defect {self.name} to edit {files}, but no such file was applied.")

        return edit, check
