"""What can be wrong with the surroundings; each message says what was expected, what was seen and what to do next."""


class SetupError(Exception):
    """Something outside must be put right before this can work. A message never contains a password."""

    def __init__(self, *, expected: str, seen: str, next_step: str) -> None:
        super().__init__(f"expected {expected}, but {seen}. {next_step}")


class BadSettingsError(SetupError):
    """A setting is missing or cannot be read."""


class ServerUnavailableError(SetupError):
    """No server answers where one should, or none can be started."""


class AccessDeniedError(SetupError):
    """The server answers, but does not let this user in."""


class NotTrustedError(SetupError):
    """A login may not say for whom it asks, or asks for a tenant that there is not."""


class ServerTooOldError(SetupError):
    """The server is older than what the schema needs."""


class PrivilegesLackingError(SetupError):
    """The user may not do all that an installation needs; every lack is named at once."""
