"""Resumable uploads: a session takes a content in chunks, over as many connections as it needs.

Source: https://cloud.google.com/storage/docs/performing-resumable-uploads
"""

from __future__ import annotations

import secrets
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tpuherd_emulator.storage.content import Checksums, ContentWriter
from tpuherd_emulator.storage.errors import StorageError, invalid, no_upload

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tpuherd_emulator.storage.body import Body
    from tpuherd_emulator.storage.chunks import Chunk
    from tpuherd_emulator.storage.conditions import Conditions
    from tpuherd_emulator.storage.content import Content
    from tpuherd_emulator.storage.resources import StoredObject

QUANTUM_BYTES = 256 * 1024
"""Unfinished uploads keep whole multiples of this, as the real service does; clients ask how far it got."""

_MAX_SESSIONS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What an upload is to become."""

    bucket: str
    name: str
    settings: Mapping[str, Any]
    conditions: Conditions
    checksums: Checksums


class Session:
    """One upload. Its requests take turns."""

    def __init__(self, target: Target, folder: Path) -> None:
        self.id = secrets.token_urlsafe(32)
        self.target = target
        self.result: StoredObject | None = None
        self._failure: StorageError | None = None
        self._writer = ContentWriter(folder)
        self._turn = threading.Lock()

    @property
    def size(self) -> int:
        """Bytes kept so far."""
        return self._writer.size

    def receive(
        self, chunk: Chunk, body: Body, finish: Callable[[Content], StoredObject]
    ) -> StoredObject | None:
        """Take a chunk in; the finished object, or None as long as there is more to come.

        Args:
            chunk: What the request says about its body; `first` None is a question for the status.
            body: The bytes.
            finish: Makes the object from the content.

        Raises:
            StorageError: 400, the chunk leaves a gap or does not end where it says; what `finish` raises.
        """
        with self._turn:
            if self._failure is not None:
                raise self._failure
            if self.result is None:
                self._take(chunk, body, finish)
            return self.result

    def discard(self) -> None:
        """Give the upload up."""
        with self._turn:
            self._writer.discard()

    def _take(self, chunk: Chunk, body: Body, finish: Callable[[Content], StoredObject]) -> None:
        if chunk.first is not None:
            self._append(chunk.first, chunk.total, body)
        if self.size == chunk.total:
            try:
                self.result = finish(self._writer.finish())
            except StorageError as error:  # for good: the content is gone
                self._failure = error
                raise

    def _append(self, first: int, total: int | None, body: Body) -> None:
        if first > self.size:
            msg = f"Invalid request: the chunk begins at byte {first}, but only {self.size} bytes are kept."
            raise invalid(msg, "Content-Range")
        _skip(body, self.size - first)
        try:
            while piece := body.read(QUANTUM_BYTES):
                if len(piece) == QUANTUM_BYTES or self.size + len(piece) == total:
                    self._writer.write(piece)
        finally:
            self._writer.pause()
        if total is not None and self.size > total:
            raise invalid(f"Invalid request: more than {total} bytes arrived.", "Content-Range")


class Sessions:
    """The uploads that are not finished, and those that are, for clients that missed the answer."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._sessions: dict[str, Session] = {}
        self._lock = threading.Lock()

    def start(self, target: Target) -> Session:
        """Begin an upload."""
        session = Session(target, self.folder)
        with self._lock:
            self._sessions[session.id] = session
            oldest = next(iter(self._sessions)) if len(self._sessions) > _MAX_SESSIONS else ""
        self._drop(oldest)
        return session

    def get(self, upload_id: str) -> Session:
        """Find an upload.

        Raises:
            StorageError: 404.
        """
        session = self._sessions.get(upload_id)
        if session is None:
            raise no_upload()
        return session

    def cancel(self, upload_id: str) -> StorageError:
        """Give an upload up; what the API answers then: 499."""
        self.get(upload_id)
        self._drop(upload_id)
        return StorageError(499, "clientClosedRequest", "Client Closed Request")

    def close(self) -> None:
        """Give all up."""
        for upload_id in list(self._sessions):
            self._drop(upload_id)

    def _drop(self, upload_id: str) -> None:
        with self._lock:
            session = self._sessions.pop(upload_id, None)
        if session is not None:
            session.discard()


def _skip(body: Body, count: int) -> None:
    while count > 0 and (piece := body.read(min(count, QUANTUM_BYTES))):
        count -= len(piece)
