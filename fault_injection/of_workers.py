"""A reported fault that takes real workers and a real outside: an experiment, that bears the number of the report."""

from dataclasses import dataclass

from .experiment import Experiment


@dataclass(frozen=True, slots=True, kw_only=True)
class OfWorkers(Experiment):
    """`case` is the number of the report, `defects` are variants of the implementation on which it must fail."""

    case: str
    defects: tuple[str, ...]
