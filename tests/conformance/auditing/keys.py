"""Keys for tests, the same each time."""

import hashlib

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat


def private(seed: bytes = b"somebody") -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(hashlib.sha256(seed).digest())


PUBLIC_KEY = private().public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
PRIVATE_KEY = private().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
