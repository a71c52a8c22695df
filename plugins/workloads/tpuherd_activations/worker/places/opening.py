"""From an address to a place."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import PlaceError

if TYPE_CHECKING:
    from .place import Place

SCHEME = "gs://"


def open_place(address: str, scratch: Path | None = None, client: Any = None) -> Place:
    """Open a folder, or `gs://bucket/folder`; nothing is read or written yet.

    Args:
        address: Where it is.
        scratch: For a bucket, the folder of this machine in which files are written before they are uploaded;
            that of temporary files if None.
        client: For a bucket, of `google.cloud.storage`; the usual one if None.

    Raises:
        PlaceError: the address is of another kind, or names no bucket.
    """
    if not address.startswith(SCHEME):
        return _folder(address)
    from .bucket import Bucket

    bucket, _, folder = address[len(SCHEME) :].partition("/")
    if not bucket:
        raise PlaceError(f"{address}: expected gs://BUCKET/FOLDER")
    return Bucket(bucket, folder.strip("/"), scratch, client)


def _folder(address: str) -> Place:
    from .folder import Folder

    if "://" in address:
        raise PlaceError(f"{address}: expected a folder or gs://BUCKET/FOLDER")
    return Folder(Path(address).expanduser().absolute())
