"""Ed25519 key pairs in OpenSSH's formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd_emulator.files import write_private

if TYPE_CHECKING:
    from pathlib import Path


def ensure(private: Path, comment: str) -> str:
    """Make a key pair if there is none, and return its public line.

    Args:
        private: Path of the private key; the public one is beside it with `.pub`.
        comment: Third word of the public line.
    """
    public = private.with_name(private.name + ".pub")
    if not (private.exists() and public.exists()):
        secret, line = _generate(comment)
        write_private(public, line + "\n", 0o644)
        write_private(private, secret)
    return public.read_text().strip()


def _generate(comment: str) -> tuple[str, str]:
    from cryptography.hazmat.primitives import serialization as to
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    secret = key.private_bytes(to.Encoding.PEM, to.PrivateFormat.OpenSSH, to.NoEncryption())
    public = key.public_key().public_bytes(to.Encoding.OpenSSH, to.PublicFormat.OpenSSH)
    return secret.decode(), f"{public.decode()} {comment}"
