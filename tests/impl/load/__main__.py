"""Run the load and say what came of it; 0 when everything is as it must be, and 1 otherwise."""

import argparse
import signal
import sys
from collections.abc import Mapping

from .rounds import carry_out
from .terms import Load, Result


def main() -> None:
    """One load, as it is asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.impl.load", description=__doc__)
    parser.add_argument("--runs", type=int, default=Load.runs)
    parser.add_argument("--workers", type=int, default=Load.workers)
    parser.add_argument("--seed", type=int, default=Load.seed)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that nothing is left behind
    result = carry_out(Load(arguments.runs, arguments.workers, seed=arguments.seed))
    tell(arguments.seed, result)
    sys.exit(1 if result.complaints else 0)


def tell(seed: int, result: Result) -> None:
    """The summary, a line for each thing."""
    print(f"seed {seed}")
    lines: dict[str, Mapping[str, float]] = {
        "killed": result.kills,
        "ended otherwise": result.ends,
        "states when all was through": result.states,
        "states after the bill": result.after_evidence,
        "figures": result.figures,
    }
    for name, counted in lines.items():
        said = ", ".join(f"{what} {count}" for what, count in sorted(counted.items()))
        print(f"  {name}: {said or 'nothing'}")
    for complaint in result.complaints[:50]:
        print(f"  WRONG {complaint}")
    print("  not as it must be" if result.complaints else "  everything is as it must be")


if __name__ == "__main__":
    main()
