"""Secrets do not stand in evidence: what looks like one, or is one that this process was given, is left out.

Passwords in URLs and connection strings are known by their form; what environment variables hold that are named like
secrets, by its value. Who keeps a secret anywhere else must keep it out of what is tested.
"""

import json
import os
import re
from collections.abc import Mapping
from functools import cached_property

LEFT_OUT = "[redacted]"
LENGTH_MIN = 8
"""Shorter values may stand anywhere by chance."""

_NAMED_LIKE_A_SECRET = re.compile(r"(PASSWORD|PASSWD|SECRET|TOKEN|APIKEY|API_KEY|PRIVATE_KEY|ACCESS_KEY|_DSN)$", re.I)
_IN_A_URL = re.compile(rb"(://[^\s/:@\"'\\]*:)([^\s/@\"'\\]+)(@)")
_IN_A_CONNECTION_STRING = re.compile(rb"(\bpassword\s*=\s*)([^\s\"'&;,\\)]+)()", re.I)


class Redaction:
    """Leaves secrets out of lines of JSON, and of anything else that is written."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._environment = environment

    def line(self, line: bytes) -> bytes:
        """The line without secrets; most lines have none, and are not looked at twice."""
        for secret in self._secrets:
            if secret in line:
                line = line.replace(secret, LEFT_OUT.encode())
        if b"://" in line:
            line = _IN_A_URL.sub(_left_out, line)
        if b"assword" in line or b"ASSWORD" in line:
            line = _IN_A_CONNECTION_STRING.sub(_left_out, line)
        return line

    def text(self, text: str) -> str:
        """The same for a text."""
        return self.line(text.encode(errors="surrogatepass")).decode(errors="surrogatepass")

    @cached_property
    def _secrets(self) -> tuple[bytes, ...]:
        """As they are, and as JSON writes them; the longest first, as one may be part of another."""
        values = [value for name, value in self._environment.items() if _NAMED_LIKE_A_SECRET.search(name)]
        known = {value for value in values if len(value) >= LENGTH_MIN}
        forms = known | {json.dumps(value)[1:-1] for value in known}
        return tuple(form.encode(errors="surrogatepass") for form in sorted(forms, key=len, reverse=True))


def _left_out(found: re.Match[bytes]) -> bytes:
    return found[1] + LEFT_OUT.encode() + found[3]
