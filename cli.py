"""The command line: composes the folders and decides nothing."""


def main() -> None:
    raise SystemExit("not yet")
