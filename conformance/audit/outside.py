"""Whether the steps of an experiment say the same of the world outside as the ledger of truth beside them."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from keepfact.conformance.ledger import ENTRIES, Entry, truth_of
from keepfact.spec.vocabulary import RunId, Truth

from .finding import Difference


def unlike_the_ledger(
    path: Path, told: Mapping[str, Truth], find: Callable[[str, int, str], None], *, is_whole: bool
) -> Iterator[Difference]:
    """Where the last step of a trace says otherwise than the ledger. `find` is told of lines that are no entries.

    Steps can never know more than the ledger. If the experiment `is_whole`, they know how often everything acted and
    what it cost; in others something may have come after the last step.
    """
    runs = _by_run(path, find)
    truths = {run: truth_of(entries, RunId(run)) for run, entries in runs.items()}
    run_of = {call.call: run for run, truth in truths.items() for call in truth.calls}
    unseen = {run for run, truth in truths.items() if run and truth.calls}
    for trace, truth in told.items():
        shown = {trace, *(run_of.get(call.call, trace) for call in truth.calls)}  # a trace may look at several runs
        written = Truth(tuple(call for run in sorted(shown & truths.keys()) for call in truths[run].calls))
        unseen -= shown
        if (is_whole and _summed(truth) != _summed(written)) or not _within(truth, written):
            yield Difference(f"what happened outside in {trace}", _in_words(truth), _in_words(written))
    for run in sorted(unseen) if is_whole else ():
        yield Difference(f"what happened outside in {run}", "nothing", _in_words(truths[run]))


def _by_run(path: Path, find: Callable[[str, int, str], None]) -> dict[str, list[Entry]]:
    runs: dict[str, list[Entry]] = {}
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                entry = ENTRIES.validate_json(line)
            except ValueError:
                find(path.name, number, "it is no entry of a ledger of truth")
                continue
            runs.setdefault(entry.run or (entry.key or "").partition(":")[0], []).append(entry)
    return runs


def _within(truth: Truth, written: Truth) -> bool:
    for call in truth.calls:
        known = written.of(call.call)
        if known is None or call.requests > known.requests:
            return False
        if call.acts > known.acts or call.cost_cents > known.cost_cents:
            return False
    return True


def _summed(truth: Truth) -> dict[str, tuple[int, int]]:
    return {call.call: (call.acts, call.cost_cents) for call in truth.calls if call.acts or call.cost_cents}


def _in_words(truth: Truth) -> str:
    told = [f"{call.call} acted {call.acts} times for {call.cost_cents} cents" for call in truth.calls]
    return "; ".join(told) or "nothing"
