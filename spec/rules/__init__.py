"""One module a chapter, but two for HISTORY; a rule is one function, and its docstring is the published sentence."""
