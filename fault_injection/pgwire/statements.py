"""What statements are: their texts, and what they will make, and have made, of the transaction they are in.

Only what the protocol says is known: a procedure or a `do` block that commits inside itself is one statement.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum, StrEnum, auto

from .messages import Message, sqlstate_of, text_at

SHOWN_CHARACTERS = 200
IDLE, IN_TRANSACTION, FAILED = "I", "T", "E"
"""The status of a session, as the server says it whenever it is ready."""


class Kind(StrEnum):
    """What happens to a transaction between two seams. Before it that is foreseen, after it the server has said it."""

    STATEMENT = "statement"
    AUTOCOMMIT = "statement that is its own commit"
    COMMIT = "commit"
    ROLLBACK = "rollback"
    FAILED = "statement that failed"


class Statements:
    """The statements that a client has prepared, by name, and the portals in which they are executed."""

    def __init__(self) -> None:
        self._prepared: dict[str, str] = {}
        self._portals: dict[str, str] = {}
        self.bound = ""
        """The one that was given its values last."""

    def asked_by(self, message: Message) -> list[str]:
        """The statements that a message has executed; most have none."""
        body = message.body
        match message.type:
            case b"Q":
                return split(text_at(body))
            case b"P":
                self._prepared[text_at(body)] = text_at(body, 1)
            case b"B":
                self.bound = self._prepared.get(text_at(body, 1), "a statement prepared by SQL")
                self._portals[text_at(body)] = self.bound
            case b"C" if body[:1] == b"S":
                self._prepared.pop(text_at(body[1:]), None)
            case b"C":
                self._portals.pop(text_at(body[1:]), None)
            case b"E":
                return [self._portals.get(text_at(body), "a portal opened by SQL")]
            case b"F":
                return ["a function by its number"]
        return []


@dataclass
class Course:
    """How far a session has come: its status, and whether something waits for the end of its group to be committed."""

    status: str = IDLE
    is_pending: bool = False

    def foresee(self, texts: Iterable[str], *, ends_group: bool) -> Kind:
        """What statements will be if they succeed."""
        kinds = {self._take(_act_of(text)) for text in texts}
        if Kind.COMMIT in kinds:
            return Kind.COMMIT
        if ends_group and self.is_pending:
            return Kind.AUTOCOMMIT
        return Kind.ROLLBACK if Kind.ROLLBACK in kinds else Kind.STATEMENT

    def _take(self, act: "_Act") -> Kind:
        was_failed = self.status == FAILED
        match act:
            case _Act.BEGIN:
                self.status, self.is_pending = IN_TRANSACTION, False
            case _Act.COMMIT | _Act.COMMIT_AND_CHAIN | _Act.ROLLBACK | _Act.ROLLBACK_AND_CHAIN:
                chains = act in (_Act.COMMIT_AND_CHAIN, _Act.ROLLBACK_AND_CHAIN)
                self.status, self.is_pending = IN_TRANSACTION if chains else IDLE, False
                commits = act in (_Act.COMMIT, _Act.COMMIT_AND_CHAIN) and not was_failed
                return Kind.COMMIT if commits else Kind.ROLLBACK
            case _Act.OTHER if self.status == IDLE:
                self.is_pending = True
        return Kind.STATEMENT


@dataclass
class Answer:
    """What the server has said to statements so far."""

    executed: int = 0
    tags: list[str] = field(default_factory=list)
    error: str | None = None
    status: str | None = None

    def hear(self, message: Message) -> None:
        """Take in a message of the server."""
        match message.type:
            case b"C":
                self.tags.append(text_at(message.body))
                self.executed += 1
            case b"I" | b"s":
                self.executed += 1
            case b"E":
                self.error = sqlstate_of(message.body)
            case b"Z":
                self.status = message.body.decode("ascii", "replace")

    def kind(self, foreseen: Kind, status_before: str) -> Kind:
        """What came of statements."""
        if not {"COMMIT", "PREPARE TRANSACTION"}.isdisjoint(self.tags):
            return Kind.COMMIT
        if self.error is not None:
            return Kind.FAILED
        if self.status == IDLE and (status_before != IDLE or foreseen is Kind.ROLLBACK):
            return Kind.ROLLBACK
        return Kind.AUTOCOMMIT if self.status == IDLE else Kind.STATEMENT

    def __str__(self) -> str:
        said = [*self.tags, *([f"error {self.error}"] if self.error else [])]
        return ", ".join([*said, *([f"ready in status {self.status}"] if self.status else [])]) or "nothing"


def split(text: str) -> list[str]:
    """The statements of a simple query, without what is empty."""
    if ";" not in text:
        return [text]
    statements, begin = [], 0
    for token in _TOKENS.finditer(text):
        if token.group() == ";":
            statements.append(text[begin : token.start()])
            begin = token.end()
    statements.append(text[begin:])
    return [statement for statement in statements if _COMMENTS.sub("", statement).strip()] or [text]


def shortened(texts: Iterable[str]) -> str:
    """Statements as they are shown: on one line, and not longer than a reader wants."""
    line = " ".join("; ".join(text[: 2 * SHOWN_CHARACTERS] for text in texts).split())
    return line if len(line) <= SHOWN_CHARACTERS else line[: SHOWN_CHARACTERS - 1] + "…"


class _Act(Enum):
    BEGIN = auto()
    COMMIT = auto()
    COMMIT_AND_CHAIN = auto()
    ROLLBACK = auto()
    ROLLBACK_AND_CHAIN = auto()
    OTHER = auto()


def _act_of(text: str) -> _Act:
    """What a statement does to its transaction."""
    match _COMMENTS.sub(" ", text[:SHOWN_CHARACTERS]).lower().split():
        case ["begin", *_] | ["start", "transaction", *_]:
            return _Act.BEGIN
        case ["prepare", "transaction", *_]:
            return _Act.COMMIT
        case ["commit" | "rollback", "prepared", *_]:
            return _Act.OTHER
        case ["commit" | "end", *rest]:
            return _Act.COMMIT_AND_CHAIN if rest[-2:] == ["and", "chain"] else _Act.COMMIT
        case ["rollback" | "abort", *rest] if "to" not in rest:
            return _Act.ROLLBACK_AND_CHAIN if rest[-2:] == ["and", "chain"] else _Act.ROLLBACK
    return _Act.OTHER


_COMMENTS = re.compile(r"--[^\n]*|/\*.*?\*/|;\s*$", re.DOTALL)
_TOKENS = re.compile(r"""[eE]'(?:[^'\\]|\\.|'')*'|'[^']*'|"[^"]*"|\$(\w*)\$.*?\$\1\$|--[^\n]*|/\*.*?\*/|;""", re.DOTALL)
