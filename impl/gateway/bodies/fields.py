"""What a field of a request can be. Whether a text can be stored is for the store to say, which may record that."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, StringConstraints, WithJsonSchema

INTEGER_MAX = 2**63 - 1
ID_PATTERN = "^[!-~]{1,200}$"


def _any_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise ValueError("a text is expected")


Id = Annotated[str, StringConstraints(pattern=ID_PATTERN)]
"""Printable ASCII without spaces, at most 200 characters."""

Text = Annotated[str, PlainValidator(_any_text), WithJsonSchema({"type": "string"})]
"""Any text at all, also one with a NUL or a lone surrogate: the store refuses it or records that it came."""

Word = Annotated[str, StringConstraints(max_length=1_000, pattern=r"^[^\x00]*$")]
"""A short text: a digest, a risk, the name of a host."""

Whole = Annotated[int, Field(ge=0, le=INTEGER_MAX)]
"""A whole number that is not negative: an amount in cents, a fence, a duration in seconds."""

Number = Annotated[int, Field(ge=1, le=INTEGER_MAX)]
"""A whole number from 1 on."""

Name = Annotated[str, StringConstraints(pattern="^[^\\x00-\\x1f\\x7f-\\x9f]{1,200}$")]
"""What others have named: one line, at most 200 characters. Whatever the store takes can be said here."""

Names = Annotated[tuple[Name, ...], Field(max_length=100, strict=False)]
"""A list in JSON; not strict, as to Python that is no tuple."""

User = Annotated[Name, Field(serialization_alias="user_")]
"""Whoever may read a source. In SQL `user` is a word of its own."""


class Body(BaseModel):
    """The fields of a command that are neither in its path nor in a header. No others are taken."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    @classmethod
    def is_needed(cls) -> bool:
        """Whether anything must be said; otherwise a request may come without a body."""
        return any(field.is_required() for field in cls.model_fields.values())

    def said(self) -> dict[str, Any]:
        """The values of all fields, by the names that the store has for them."""
        return self.model_dump(by_alias=True)


class Worked(Body):
    """What every command of a worker says: the fence of its grant."""

    fence: Whole
