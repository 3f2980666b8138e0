"""The manifest: every file of an evidence directory with its digest. Whoever signs it vouches for all of them."""

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from keepfact.conformance.errors import KeepfactError

MANIFEST = "manifest.json"
SIGNATURE = "manifest.sig"
OUTSIDE = frozenset({MANIFEST, SIGNATURE})
"""What the manifest cannot have a digest of: itself, and what signs it."""

LEFT_BY_TOOLS = frozenset({"__pycache__", ".pytest_cache"})
"""Folders that Python and pytest leave where a replay is run: no evidence, and nobody vouches for what is in them."""

SCHEMA: Literal["keepfact.manifest/1"] = "keepfact.manifest/1"


class ManifestError(KeepfactError):
    """The manifest cannot be read; the message says why."""


class Manifest(BaseModel):
    """What stands in the file. `sha256` has the digest of each file, in hex, by its path with slashes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_: Literal["keepfact.manifest/1"] = Field(alias="schema")
    sha256: dict[str, Annotated[str, Field(pattern="^[0-9a-f]{64}$")]]

    def text(self) -> bytes:
        """The only way to write it, so that no byte of it can be changed without its meaning."""
        said = {"schema": self.schema_, "sha256": dict(sorted(self.sha256.items()))}
        return (json.dumps(said, indent=2) + "\n").encode()


def manifest_of(directory: Path) -> Manifest:
    """The manifest that fits the files as they are."""
    names = (name for name in files_in(directory) if name not in OUTSIDE)
    return Manifest(schema=SCHEMA, sha256={name: digest_of(directory / name) for name in names})


def read_manifest(directory: Path) -> Manifest:
    """The manifest as it stands there. ManifestError if there is none, or if it is not as it must be written."""
    try:
        text = (directory / MANIFEST).read_bytes()
    except OSError as error:
        raise ManifestError(f"it cannot be read: {error.strerror}") from error
    try:
        said = json.loads(text)
        if not isinstance(said, dict):
            raise ManifestError("it is no JSON object")
        manifest = Manifest.model_validate(said)
    except (ValueError, RecursionError) as error:
        why = error.errors()[0]["msg"] if isinstance(error, ValidationError) else "it is no JSON"
        raise ManifestError(why) from error
    if manifest.text() != text:
        raise ManifestError("it says this in another form than keepfact writes it")
    return manifest


def files_in(directory: Path) -> Iterator[str]:
    """Everything below that is no directory, links included, by its path with slashes; without what tools leave."""
    for place, folders, names in os.walk(directory):
        links = [name for name in folders if (Path(place) / name).is_symlink()]
        if Path(place) == directory:
            folders[:] = [name for name in folders if name not in LEFT_BY_TOOLS]
        for name in (*names, *links):
            yield (Path(place) / name).relative_to(directory).as_posix()


def digest_of(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
