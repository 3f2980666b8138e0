"""Whether the files are those that the manifest names: every one, none else, each unchanged."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from keepfact.conformance.evidence.manifest import (
    MANIFEST,
    OUTSIDE,
    ManifestError,
    digest_of,
    files_in,
    read_manifest,
)

from .finding import FINDINGS_MAX, Finding


def check_files(directory: Path) -> list[Finding]:
    """Everything that does not fit the manifest."""
    try:
        manifest = read_manifest(directory)
    except ManifestError as error:
        return [Finding(MANIFEST, None, f"{error}, so nothing vouches for the files")]
    return list(islice(_unlike(directory, manifest.sha256), FINDINGS_MAX))


def _unlike(directory: Path, digests: dict[str, str]) -> Iterator[Finding]:
    present = sorted(files_in(directory))
    for name in present:
        path = directory / name
        if path.is_symlink():
            yield Finding(name, None, "it is a link: what it leads to can be changed without a trace")
        elif not path.is_file():
            yield Finding(name, None, "it is no file, and nothing can vouch for it")
        elif name in OUTSIDE:
            continue
        elif name not in digests:
            yield Finding(name, None, "the manifest does not name it: it was added later")
        elif (reason := _unlike_its_digest(path, digests[name])) is not None:
            yield Finding(name, None, reason)
    for name in sorted(digests.keys() - set(present)):
        yield Finding(name, None, "the manifest names it, and it is missing")


def _unlike_its_digest(path: Path, digest: str) -> str | None:
    try:
        return None if digest_of(path) == digest else "it is not what was sealed: its SHA-256 is another"
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
