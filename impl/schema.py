"""The SQL of the schema in two parts: tables, changed by revisions only, and functions, made anew by each upgrade."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

Edit = Callable[[str, str], str]
"""Given the name and the text of an SQL file, the text to apply instead."""

SQL_FILES = Path(__file__).parent / "sql"
PRIVILEGES = "900_privileges.sql"

_FUNCTION = re.compile(r"^create function keepfact\.(\w+)\(.*?^\$\$;$", re.MULTILINE | re.DOTALL)
_NEEDED_BY_TABLES = re.compile(r"(?:default|execute function) keepfact\.(\w+)\(")
"""By a default or a trigger: these functions stand before what needs them, and are always replaced in place."""


def unchanged(name: str, text: str) -> str:
    """The edit that edits nothing."""
    return text


def sql_files(edit: Edit, folder: Path = SQL_FILES) -> list[tuple[str, str]]:
    """The schema, file by file in the order of application, after `edit`."""
    return [(path.name, edit(path.name, path.read_text())) for path in sorted(folder.glob("*.sql"))]


@dataclass(frozen=True)
class Schema:
    """The files of one release.

    In a folder `until_<version>` stands what only workers of older tables call; it is there until the migration to that
    version is finished.
    """

    edit: Edit = unchanged
    folder: Path = SQL_FILES

    def tables(self) -> Iterator[str]:
        """What revision 1 applies once: everything that is neither a function nor a privilege."""
        files = [text for name, text in sql_files(self.edit, self.folder) if name != PRIVILEGES]
        needed = {name for text in files for name in _NEEDED_BY_TABLES.findall(_FUNCTION.sub("", text))}
        for text in files:
            yield _FUNCTION.sub(lambda found: found[0] if found[1] in needed else "", text)

    def functions(self) -> Iterator[tuple[str, str]]:
        """Every function by its name, as it replaces the one before it."""
        for _, text in sql_files(self.edit, self.folder):
            for found in _FUNCTION.finditer(text):
                yield found[1], found[0].replace("create function", "create or replace function", 1)

    def privileges(self, roles: Mapping[str, str]) -> str:
        """Who may execute which function, by the names of the roles of an installation."""
        return _with_roles(self.edit(PRIVILEGES, (self.folder / PRIVILEGES).read_text()), roles)

    def for_older_workers(self, version: int, roles: Mapping[str, str]) -> Iterator[str]:
        """What stays only until the migration to that version is finished."""
        for _, text in sql_files(self.edit, self.folder / f"until_{version}"):
            yield _with_roles(text, roles)


def _with_roles(text: str, roles: Mapping[str, str]) -> str:
    """As psql does it: the name of a role stands for :"observe" and so on."""
    return re.sub(r':"(\w+)"', lambda found: f'"{roles[found[1]]}"', text)
