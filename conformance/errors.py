"""What stops a run because the kit or its input is wrong."""


class KeepfactError(Exception):
    """Nothing was lost, and there is no verdict. The message says what was expected, what was seen and what to do."""
