"""Objects of a bucket, as its client has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

from .checksums import from_base64, identity_of
from .place import Identity

if TYPE_CHECKING:
    from pathlib import Path

TIMEOUT_S = 300


def identity_of_object(blob: Any) -> Identity:
    """Length and checksum; the bucket knows them."""
    return Identity(size_bytes=int(blob.size), crc32c=from_base64(blob.crc32c))


def fetched(blob: Any, target: Path) -> bool:
    """Copy an object to a file of this machine; False if it did not arrive as it lies there."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f"{target.name}.{uuid4().hex}")
    blob.download_to_filename(str(partial), checksum="crc32c", timeout=TIMEOUT_S)
    if identity_of(partial) != identity_of_object(blob):
        return False
    partial.rename(target)
    return True
