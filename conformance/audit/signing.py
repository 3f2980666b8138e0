"""Ed25519 signatures on the manifest: who holds the key vouches for every file that it names.

The signature is the plain one over the bytes of the manifest, so that OpenSSL can check it without us. `cryptography`
is loaded only by whoever signs or checks; it comes with the extra `sign`.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.evidence.manifest import MANIFEST, SIGNATURE, manifest_of

from .files import check_files

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

SIGNER = "signer.pub"
"""The public key of whoever signed, named in the manifest. It proves nothing of who that is."""


class SigningError(KeepfactError):
    """A key cannot be used, or there is nothing to sign; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What is known of who vouches for the manifest: one sentence, and what is wrong with the signature if anything."""

    told: str
    findings: tuple[str, ...] = ()
    file: str = SIGNATURE


def private_key(path: Path) -> "Ed25519PrivateKey":
    """The Ed25519 key in a PEM file, as `openssl genpkey -algorithm ed25519` makes it."""
    _load()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(_read(path), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise _no_key(path, "a private Ed25519 key, not encrypted", "openssl genpkey -algorithm ed25519") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise _no_key(path, "a private Ed25519 key", "openssl genpkey -algorithm ed25519")
    return key


def public_key(path: Path) -> "Ed25519PublicKey":
    """The Ed25519 key in a PEM file, as `openssl pkey -pubout` writes it."""
    _load()
    return _public_key(path, _read(path))


def seal_and_sign(directory: Path, key: "Ed25519PrivateKey") -> Path:
    """Write the manifest of the files as they are, the public key among them, and sign it; the signature's file."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    path = directory / SIGNATURE
    try:
        signer = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        (directory / SIGNER).write_bytes(signer)
        text = manifest_of(directory).text()
        (directory / MANIFEST).write_bytes(text)
        path.write_bytes(key.sign(text))
    except OSError as error:
        raise SigningError(f"expected to write {path}, but: {error.strerror}. Nothing is signed.") from error
    return path


def sign(directory: Path, key: "Ed25519PrivateKey", before: Callable[[], object] = lambda: None) -> Path:
    """Sign an evidence that is sealed already. SigningError if its files are not those that were sealed.

    `before` is done once that is known, and may add files.
    """
    if findings := check_files(directory):
        raise SigningError(
            f"expected the files in {directory} to be those that its manifest names, but {findings[0]}. "
            "Nothing is signed; `keepfact audit` tells more."
        )
    before()
    return seal_and_sign(directory, key)


def signature_of(directory: Path, key_path: Path | None) -> Signature:
    """What the signature in a directory is worth to somebody with this public key, or with none."""
    given = None if key_path is None else public_key(key_path)
    text, signature, signer = (_bytes(directory / name) for name in (MANIFEST, SIGNATURE, SIGNER))
    if signature is None:
        return _unsigned(given is not None, signer is not None)
    try:
        own = None if signer is None else _public_key(directory / SIGNER, signer)
    except SigningError as error:
        return Signature("Nobody known vouches for the manifest.", (str(error),))
    key = given or own
    if key is None:
        return Signature(
            "Nobody known vouches for the manifest.", ("it is there, but not the key that it was made with",)
        )
    if not _is_signed(key, signature, text or b""):
        whose = "the key that was given" if given else "the key beside it"
        return Signature("Nobody vouches for the manifest.", (f"it is not the signature of {whose} on this manifest",))
    if given is None:
        return Signature(
            f"The manifest is signed by the key {fingerprint(key)}, which anybody may have made: only its own holder "
            "vouches for it. Give --public-key to check that it is the one you know."
        )
    return Signature(f"The manifest is signed by the key that was given, {fingerprint(key)}.")


def fingerprint(key: "Ed25519PublicKey") -> str:
    """SHA-256 of the key's DER form, in hex: what `openssl pkey -pubin -outform DER | sha256sum` says."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()


def _unsigned(is_asked_for: bool, has_signer: bool) -> Signature:
    if is_asked_for:
        return Signature("Nobody vouches for the manifest.", ("a key was given, and nothing is signed",))
    if has_signer:
        return Signature("Nobody vouches for the manifest.", (f"{SIGNER} says that it was signed, and it is not",))
    return Signature(
        "The manifest is not signed: nothing but itself vouches for it. Whoever can write all of these files can also "
        "have written others."
    )


def _is_signed(key: "Ed25519PublicKey", signature: bytes, text: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature

    try:
        key.verify(signature, text)
    except InvalidSignature:
        return False
    return True


def _public_key(path: Path, text: bytes) -> "Ed25519PublicKey":
    _load()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(text)
    except (ValueError, UnsupportedAlgorithm) as error:
        raise _no_key(path, "a public Ed25519 key", "openssl pkey -in KEY.pem -pubout") from error
    if not isinstance(key, Ed25519PublicKey):
        raise _no_key(path, "a public Ed25519 key", "openssl pkey -in KEY.pem -pubout")
    return key


def _no_key(path: Path, what: str, command: str) -> SigningError:
    return SigningError(f"expected {what} as PEM in {path}, but it is none. `{command}` makes one.")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise SigningError(f"expected a key in {path}, but: {error.strerror}. Give a PEM file.") from error


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _load() -> None:
    try:
        import cryptography  # noqa: F401
    except ImportError as error:
        raise SigningError(
            "expected the package cryptography, which signatures need, but it is not installed. "
            "`pip install 'keepfact[sign]'` brings it."
        ) from error
