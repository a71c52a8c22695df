"""Multipart uploads of the XML API: parts in any order, over many connections, put together at the end.

Source: https://cloud.google.com/storage/docs/multipart-uploads
"""

from __future__ import annotations

import secrets
import shutil
from typing import TYPE_CHECKING

from tpuherd_emulator.storage.content import Content, ContentWriter, pieces
from tpuherd_emulator.storage.errors import invalid, no_upload

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tpuherd_emulator.storage.resumable import Target


class PartUpload:
    """One upload: its target and, by number, its parts so far."""

    def __init__(self, target: Target, folder: Path) -> None:
        self.target = target
        self.folder = folder
        self._parts: dict[int, Content] = {}

    def add(self, number: int, content: Content) -> None:
        """Take a part; it replaces one of the same number."""
        old = self._parts.get(number)
        self._parts[number] = content
        if old is not None:
            old.discard()

    def complete(self, wanted: Mapping[int, str]) -> Content:
        """Put parts together, in the order of their numbers.

        Args:
            wanted: The ETag of each part to use.

        Raises:
            StorageError: 400, a part is missing or is another one.
        """
        chosen = [self._part(number, wanted[number]) for number in sorted(wanted)]
        with ContentWriter(self.folder.parent) as writer:
            for part in chosen:
                _append(part, writer)
            return writer.finish_composite(None)

    def _part(self, number: int, etag: str) -> Content:
        part = self._parts.get(number)
        if part is None or part_etag(part) != etag.strip('"'):
            raise invalid(f"Part {number} was not uploaded, or has another ETag.")
        return part


class PartUploads:
    """The uploads that are not finished."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._uploads: dict[str, PartUpload] = {}

    def start(self, target: Target) -> str:
        """Begin an upload; its id."""
        upload_id = secrets.token_urlsafe(32)
        folder = self._folder / upload_id
        folder.mkdir()
        self._uploads[upload_id] = PartUpload(target, folder)
        return upload_id

    def get(self, upload_id: str, names: Sequence[str]) -> PartUpload:
        """Find an upload to these names, of a bucket and an object.

        Raises:
            StorageError: 404.
        """
        upload = self._uploads.get(upload_id)
        if upload is None or (upload.target.bucket, upload.target.name) != tuple(names):
            raise no_upload()
        return upload

    def end(self, upload_id: str) -> None:
        """Forget an upload and remove its parts."""
        upload = self._uploads.pop(upload_id, None)
        if upload is not None:
            shutil.rmtree(upload.folder)


def part_etag(part: Content) -> str:
    """The ETag of a part."""
    return str(part.md5)


def _append(part: Content, writer: ContentWriter) -> None:
    with part.path.open("rb") as file:
        writer.write_all(pieces(file))
