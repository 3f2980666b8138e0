"""The harness as a pytest suite: `pytest --pyargs keepfact.conformance.suite --system module:Class`.

One test a tour of the model, and one a part of the search; `-m fence` takes the tours that a chapter has something to
say of, and `-n 2` shares all of it out to two processes, each with a system of its own. A test fails when a rule is
broken, and errs when nothing can be said: when the adapter is broken, or no answer arrives.
"""

SUITE = "keepfact.conformance.suite"
"""How it is called on the command line of pytest, and the beginning of the id of each of its tests."""
