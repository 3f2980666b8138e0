"""One module a chapter; a rule is one function, and its docstring is the published sentence.

What several rules on waiting ask stands in `waits`, `answers` and `families`.
"""
