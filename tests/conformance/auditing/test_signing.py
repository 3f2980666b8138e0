"""Who signs vouches for every file; anybody can check it, also without us."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, NoEncryption, PrivateFormat

from keepfact.conformance.audit import audit
from keepfact.conformance.audit.signing import SigningError, fingerprint, private_key, public_key, sign
from keepfact.conformance.verdicts import ExitCode

from .keys import PRIVATE_KEY, PUBLIC_KEY, private


@pytest.fixture
def keys(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "key.pem").write_bytes(PRIVATE_KEY)
    (tmp_path / "key.pub").write_bytes(PUBLIC_KEY)
    return tmp_path / "key.pem", tmp_path / "key.pub"


def test_signed_evidence_is_vouched_for(copied: Path, keys: tuple[Path, Path]) -> None:
    sign(copied, private_key(keys[0]))
    found = audit(copied, keys[1])
    assert (found.findings, found.exit_code) == ((), ExitCode.CONFORMANT)
    assert fingerprint(public_key(keys[1])) in found.signature.told


def test_signing_again_changes_nothing(copied: Path) -> None:
    sign(copied, private())
    before = {path.name: path.read_bytes() for path in copied.iterdir()}
    sign(copied, private())
    assert {path.name: path.read_bytes() for path in copied.iterdir()} == before


def test_what_was_altered_is_not_signed(copied: Path) -> None:
    (copied / "report.json").write_text("{}")
    with pytest.raises(SigningError, match=r"report\.json: it is not what was sealed.* Nothing is signed"):
        sign(copied, private())
    assert not (copied / "manifest.sig").exists()


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
def test_openssl_can_check_it_without_us(copied: Path, keys: tuple[Path, Path]) -> None:
    sign(copied, private())
    asked = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", str(keys[1]), "-rawin"]
    asked += ["-in", str(copied / "manifest.json"), "-sigfile", str(copied / "manifest.sig")]
    assert subprocess.run(asked, capture_output=True).returncode == 0
    (copied / "manifest.json").write_bytes((copied / "manifest.json").read_bytes() + b"\n")
    assert subprocess.run(asked, capture_output=True).returncode != 0


OTHER = ec.generate_private_key(ec.SECP256R1()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
ENCRYPTED = private().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret"))


@pytest.mark.parametrize("content", [b"", b"not a key", PUBLIC_KEY, OTHER, ENCRYPTED])
def test_what_is_no_key_to_sign_with_is_told(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "key.pem").write_bytes(content)
    with pytest.raises(SigningError, match=r"expected a private Ed25519 key.*openssl genpkey -algorithm ed25519"):
        private_key(tmp_path / "key.pem")


@pytest.mark.parametrize("content", [b"", PRIVATE_KEY])
def test_what_is_no_key_to_check_with_is_told(content: bytes, tmp_path: Path, copied: Path) -> None:
    (tmp_path / "key.pub").write_bytes(content)
    with pytest.raises(SigningError, match=r"expected a public Ed25519 key.*openssl pkey"):
        audit(copied, tmp_path / "key.pub")


def test_a_key_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(SigningError, match=r"expected a key in .*, but: No such file or directory\. Give a PEM file\."):
        private_key(tmp_path / "key.pem")


def test_without_the_package_it_is_said_how_to_get_it(
    keys: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, copied: Path
) -> None:
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(SigningError, match=r"pip install 'keepfact\[sign\]'"):
        private_key(keys[0])
    assert audit(copied).exit_code is ExitCode.CONFORMANT
