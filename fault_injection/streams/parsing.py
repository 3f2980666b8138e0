"""Server-sent events, out of bytes as they come: an event is there once the empty line after it is."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Told:
    """One event. `id` is the last that was said so far, also if this one said none."""

    id: str
    event: str
    data: str


class Parser:
    """Of one connection. `has_part` says whether something of an event is there that is not whole yet."""

    def __init__(self) -> None:
        self._unread = b""
        self._id, self._event, self._data = "", "", list[str]()

    @property
    def has_part(self) -> bool:
        return bool(self._event or self._data) or (bool(self._unread) and not self._unread.startswith(b":"))

    def feed(self, content: bytes) -> list[Told]:
        """The events that are whole with these bytes. What is no UTF-8 is replaced, as the standard says."""
        *lines, self._unread = (self._unread + content).split(b"\n")
        texts = [line.removesuffix(b"\r").decode(errors="replace") for line in lines]
        return [told for text in texts if (told := self._line(text)) is not None]

    def _line(self, line: str) -> Told | None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match name:
            case "" if not line:
                return self._dispatched()
            case "id":
                self._id = value
            case "event":
                self._event = value
            case "data":
                self._data.append(value)
        return None  # a comment, or a field that says nothing of the event

    def _dispatched(self) -> Told | None:
        """Without data there is no event."""
        told = Told(self._id, self._event or "message", "\n".join(self._data)) if self._data else None
        self._event, self._data = "", []
        return told
