"""The commands that run an installation, in this process: what they print, and what they end with."""

from dataclasses import dataclass

from typer.testing import CliRunner

from keepfact.impl.cli import app, explained


@dataclass(frozen=True)
class Ended:
    """How a command ended. `said` and `warned` are its outputs with all white space as single blanks."""

    code: int
    said: str
    warned: str
    stdout: str = ""


@dataclass(frozen=True)
class Commands:
    """Commands under an environment, which is all that they know of where they are."""

    environment: dict[str, str]

    def __call__(self, *arguments: object, typed: str | None = None, **environment: str) -> Ended:
        """What is wrong with the surroundings is told as the command line tells it, and ends with 2."""
        given = {"KEEPFACT_DSN": "", "KEEPFACT_TENANT": "", **self.environment, **environment}
        ended = CliRunner().invoke(app, [str(one) for one in arguments], input=typed, env=given)
        told = None if ended.exception is None else explained(ended.exception)
        if told is not None:
            return Ended(2, " ".join(ended.stdout.split()), str(told))
        if ended.exception is not None and not isinstance(ended.exception, SystemExit):
            raise ended.exception
        return Ended(ended.exit_code, " ".join(ended.stdout.split()), " ".join(ended.stderr.split()), ended.stdout)


def with_doors(doors: dict[str, str], tenant: str | None = None) -> dict[str, str]:
    """The environment of whoever was given these doors, each by its variable."""
    names = {f"KEEPFACT_{door.upper()}_DSN": dsn for door, dsn in doors.items()}
    return {**names, "KEEPFACT_CREDENTIALS": "", **({"KEEPFACT_TENANT": tenant} if tenant else {})}
