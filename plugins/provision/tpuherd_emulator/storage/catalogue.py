"""The catalogue: which buckets and objects there are. Every change is one step under one lock."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Any

from tpuherd_emulator.storage.conditions import ALWAYS, Conditions
from tpuherd_emulator.storage.errors import conflict, no_bucket, no_object
from tpuherd_emulator.storage.index import Index
from tpuherd_emulator.storage.resources import Bucket, StoredObject, now_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tpuherd_emulator.storage.content import Content
    from tpuherd_emulator.storage.disk import Disk


class Catalogue:
    """Records are in memory (about 1 KiB per object) and on disk, contents on disk only.

    `lock` may be held around several calls to make them one step.
    """

    def __init__(self, disk: Disk) -> None:
        self.disk = disk
        self.lock = threading.RLock()
        self._last_generation = 0
        self._buckets = {bucket.name: bucket for bucket in disk.buckets()}
        self._objects = {name: Index() for name in self._buckets}
        for stored in disk.objects():
            self._reload(stored)

    def buckets(self) -> list[Bucket]:
        """All buckets, by name."""
        with self.lock:
            return [self._buckets[name] for name in sorted(self._buckets)]

    def bucket(self, name: str, conditions: Conditions = ALWAYS) -> Bucket:
        """Find a bucket.

        Raises:
            StorageError: 404, 412 or 304.
        """
        with self.lock:
            if name not in self._buckets:
                raise no_bucket()
            conditions.check_read(self._buckets[name])
            return self._buckets[name]

    def add_bucket(self, name: str, settings: Mapping[str, Any]) -> Bucket:
        """Make a bucket.

        Raises:
            StorageError: 409, there is one.
        """
        with self.lock:
            if name in self._buckets:
                raise conflict(
                    "Your previous request to create the named bucket succeeded and you already own it."
                )
            now = now_text()
            made = Bucket(
                name=name,
                generation=self._next_generation(),
                created=now,
                updated=now,
                settings=dict(settings),
            )
            self._objects[name] = Index()
            return self._save_bucket(made)

    def set_bucket(self, bucket: Bucket, settings: Mapping[str, Any]) -> Bucket:
        """Give a bucket other settings; hold the lock since it was found."""
        changed = replace(
            bucket, settings=dict(settings), metageneration=bucket.metageneration + 1, updated=now_text()
        )
        return self._save_bucket(changed)

    def remove_bucket(self, name: str, conditions: Conditions) -> None:
        """Delete an empty bucket.

        Raises:
            StorageError: 404, 412, or 409 if it is not empty.
        """
        with self.lock:
            conditions.check_write(self.bucket(name))
            if self._objects[name]:
                raise conflict("The bucket you tried to delete is not empty.")
            self.disk.remove_bucket(name)
            del self._buckets[name], self._objects[name]

    def find(self, bucket: str, name: str, generation: int | None = None) -> StoredObject:
        """Find an object.

        Raises:
            StorageError: 404.
        """
        with self.lock:
            found = self._live(bucket, name)
            if found is None or generation not in (None, found.generation):
                raise no_object(bucket, name)
            return found

    def open(self, stored: StoredObject) -> IO[bytes]:
        """Open the content of an object; hold the lock since it was found. Later writes do not disturb it."""
        return self.disk.data(stored.generation).open("rb")

    def put(
        self, bucket: str, name: str, content: Content, settings: Mapping[str, Any], conditions: Conditions
    ) -> StoredObject:
        """Make a content the live one of a name; a content that is refused is removed.

        Raises:
            StorageError: 404, no such bucket; 412.
        """
        try:
            with self.lock:
                old = self._live(bucket, name)
                conditions.check_write(old)
                stored = self._store(bucket, name, content, settings)
                if old is not None:
                    self.disk.remove_object(old.generation)
                return stored
        finally:
            content.discard()

    def set_object(self, stored: StoredObject, settings: Mapping[str, Any]) -> StoredObject:
        """Give an object other settings; hold the lock since it was found."""
        changed = replace(
            stored, settings=dict(settings), metageneration=stored.metageneration + 1, updated=now_text()
        )
        self.disk.save_object(changed)
        return self._keep(changed)

    def remove(self, stored: StoredObject) -> None:
        """Delete an object; hold the lock since it was found."""
        self.disk.remove_object(stored.generation)
        self._objects[stored.bucket].drop(stored.name)

    def first_from(self, bucket: str, start: str) -> StoredObject | None:
        """The first object at or after a name, in the order of UTF-8 bytes; hold the lock."""
        return self._objects[bucket].first_from(start)

    def _live(self, bucket: str, name: str) -> StoredObject | None:
        self.bucket(bucket)
        return self._objects[bucket].get(name)

    def _store(self, bucket: str, name: str, content: Content, settings: Mapping[str, Any]) -> StoredObject:
        now = now_text()
        stored = StoredObject(
            bucket=bucket,
            name=name,
            generation=self._next_generation(),
            size=content.size,
            crc32c=content.crc32c,
            md5=content.md5,
            components=content.components,
            created=now,
            updated=now,
            settings={key: value for key, value in settings.items() if value is not None},
        )
        self.disk.adopt(content, stored.generation)
        self.disk.save_object(stored)
        return self._keep(stored)

    def _keep(self, stored: StoredObject) -> StoredObject:
        self._objects[stored.bucket].keep(stored)
        self._last_generation = max(self._last_generation, stored.generation)
        return stored

    def _reload(self, stored: StoredObject) -> None:
        old = self._objects[stored.bucket].get(stored.name)
        if old is not None:  # a server was killed between writing the new one and removing this one
            self.disk.remove_object(old.generation)
        self._keep(stored)

    def _save_bucket(self, bucket: Bucket) -> Bucket:
        self.disk.save_bucket(bucket)
        self._buckets[bucket.name] = bucket
        return bucket

    def _next_generation(self) -> int:
        # Microseconds since 1970, as the real service has it, and never twice.
        self._last_generation = max(time.time_ns() // 1000, self._last_generation + 1)
        return self._last_generation
