"""One module a chapter; a rule is one function, and its docstring is the published sentence."""
