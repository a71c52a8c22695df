"""The folder below which a server keeps everything, so that it survives the server, even killed.

    lock                      held by the server that uses the folder
    buckets/NAME.json         one bucket
    objects/GENERATION.json   one object; the highest generation of a name is the live one
    objects/GENERATION.data   its content
    incoming/                 uploads in flight; emptied at the start

Object names never become file names. Records are replaced by rename, and the record follows its content.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
from dataclasses import asdict
from typing import IO, TYPE_CHECKING

from tpuherd.errors import ConfigError
from tpuherd_emulator.storage.resources import Bucket, StoredObject

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tpuherd_emulator.storage.content import Content


class Disk:
    """Files of one server.

    Raises:
        ConfigError: another server uses the folder.
    """

    def __init__(self, directory: Path) -> None:
        self._buckets = directory / "buckets"
        self._objects = directory / "objects"
        self.incoming = directory / "incoming"
        directory.mkdir(parents=True, exist_ok=True)
        self._lock = _locked(directory / "lock")
        shutil.rmtree(self.incoming, ignore_errors=True)
        for folder in (self._buckets, self._objects, self.incoming):
            folder.mkdir(exist_ok=True)

    def close(self) -> None:
        """Let another server use the folder."""
        self._lock.close()

    def buckets(self) -> Iterator[Bucket]:
        """All kept buckets."""
        for path in self._buckets.glob("*.json"):
            yield Bucket(**json.loads(path.read_text()))

    def objects(self) -> Iterator[StoredObject]:
        """All kept objects, in the order of their generations."""
        self._drop_orphans()
        for path in sorted(self._objects.glob("*.json"), key=lambda path: int(path.stem)):
            yield StoredObject(**json.loads(path.read_text()))

    def save_bucket(self, bucket: Bucket) -> None:
        """Keep a bucket, replacing an older version."""
        self._write(self._buckets / f"{bucket.name}.json", bucket)

    def remove_bucket(self, name: str) -> None:
        """Forget a bucket."""
        (self._buckets / f"{name}.json").unlink()

    def adopt(self, content: Content, generation: int) -> None:
        """Take a content over as the one of `generation`."""
        content.path.rename(self.data(generation))

    def save_object(self, stored: StoredObject) -> None:
        """Keep an object's record, replacing an older version."""
        self._write(self._objects / f"{stored.generation}.json", stored)

    def remove_object(self, generation: int) -> None:
        """Forget an object and its content; those who have it open read on."""
        (self._objects / f"{generation}.json").unlink()
        self.data(generation).unlink()

    def data(self, generation: int) -> Path:
        """Where the content of a generation is."""
        return self._objects / f"{generation}.data"

    def _write(self, path: Path, record: Bucket | StoredObject) -> None:
        fresh = self.incoming / path.name
        fresh.write_text(json.dumps(asdict(record)))
        fresh.replace(path)

    def _drop_orphans(self) -> None:
        for path in self._objects.glob("*.data"):
            if not path.with_suffix(".json").exists():
                path.unlink()


def _locked(path: Path) -> IO[bytes]:
    with contextlib.ExitStack() as undo:
        file = undo.enter_context(path.open("wb"))
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            folder = os.fspath(path.parent)
            msg = f"{folder}: another emulated storage uses this folder; stop it or choose another folder"
            raise ConfigError(msg) from None
        undo.pop_all()
        return file
