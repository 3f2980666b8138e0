"""A short digest of each line of evidence, in a file beside it: it names the line that was touched.

The proof that nothing was touched are the digests in the footer and in the manifest, which also hold the order of
lines. These say where.
"""

import hashlib

DIGESTS = "evidence.digests"
LENGTH = 16
"""Characters of each digest, in hex: enough to name a line, and little beside a long evidence."""


def line_digest(line: bytes) -> str:
    """The digest of one line of evidence, its newline included."""
    return hashlib.sha256(line).hexdigest()[:LENGTH]
