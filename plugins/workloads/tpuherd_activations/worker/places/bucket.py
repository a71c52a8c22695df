"""A folder of a bucket as a place.

Everything is created on the condition that it is not there yet (generation 0), cells change on the condition
that they are of the generation that was read, and what was uploaded is compared by its CRC-32C.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..errors import PlaceError
from .objects import TIMEOUT_S, fetched, identity_of_object
from .told import told

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO

    from .place import Identity

WORK = ".work/"
CELLS = f"{WORK}cells"


@told
class Bucket:
    """The client is made when it is first used; it may be used by several threads."""

    def __init__(self, bucket: str, folder: str, scratch: Path | None, client: Any = None) -> None:
        self._name, self._client = bucket, client
        self._prefix = f"{folder}/" if folder else ""
        self._scratch = (scratch or Path(tempfile.gettempdir())) / "tpuherd-activations"

    @property
    def address(self) -> str:
        """The `gs://` address."""
        return f"gs://{self._name}/{self._prefix}".rstrip("/")

    @cached_property
    def _bucket(self) -> Any:
        from google.cloud import storage

        return (self._client or storage.Client()).bucket(self._name)

    def names(self, prefix: str = "") -> list[str]:
        """See `Place.names`."""
        return sorted(name for name in self._listed(prefix) if not name.startswith(WORK))

    def find(self, name: str) -> bytes | None:
        """See `Place.find`."""
        from google.api_core.exceptions import NotFound

        try:
            return cast(bytes, self._blob(name).download_as_bytes(timeout=TIMEOUT_S))
        except NotFound:
            return None

    def open(self, name: str) -> BinaryIO:
        """See `Place.open`."""
        return cast("BinaryIO", self._known(name).open("rb", chunk_size=1 << 23))

    def identity(self, name: str) -> Identity:
        """See `Place.identity`; the bucket knows it."""
        return identity_of_object(self._known(name))

    def identities(self, names: Sequence[str]) -> dict[str, Identity]:
        """See `Place.identities`: one list, not a question for each."""
        listed = self._listed("")
        return {name: identity_of_object(listed.get(name) or self._known(name)) for name in names}

    def create(self, name: str, data: bytes) -> bool:
        """See `Place.create`."""
        return self._swapped(name, data, 0) is not None

    def deliver(self, name: str, file: Path, identity: Identity) -> None:
        """See `Place.deliver`."""
        from google.api_core.exceptions import PreconditionFailed

        with suppress(PreconditionFailed):  # an earlier try, or another worker, was first: compare
            self._blob(name).upload_from_filename(
                str(file), if_generation_match=0, checksum="crc32c", timeout=TIMEOUT_S
            )
        if self.identity(name) != identity:
            raise PlaceError(f"{self.address}/{name}: what lies there is not what was written; remove it")
        file.unlink()

    def local(self, name: str, cache: Path) -> Path:
        """See `Place.local`; what was fetched is compared with the bucket's checksum."""
        target = cache / name
        blob = self._known(name)
        if target.exists() and target.stat().st_size == blob.size:
            return target
        if not fetched(blob, target):
            raise PlaceError(f"{self.address}/{name}: it did not arrive as it lies there")
        return target

    def delete(self, name: str) -> None:
        """See `Place.delete`."""
        from google.api_core.exceptions import NotFound

        with suppress(NotFound):
            self._blob(name).delete(timeout=TIMEOUT_S)

    def cell(self, name: str) -> tuple[bytes, int] | None:
        """See `Place.cell`: the version is the object's generation."""
        from google.api_core.exceptions import NotFound, PreconditionFailed

        while blob := self._bucket.get_blob(f"{self._prefix}{CELLS}/{name}", timeout=TIMEOUT_S):
            version = int(blob.generation)
            with suppress(NotFound, PreconditionFailed):  # it has just changed: look again
                return blob.download_as_bytes(if_generation_match=version, timeout=TIMEOUT_S), version
        return None

    def swap(self, name: str, data: bytes, version: int) -> int | None:
        """See `Place.swap`."""
        return self._swapped(f"{CELLS}/{name}", data, version)

    def clear(self) -> None:
        """See `Place.clear`."""
        for blob in self._bucket.client.list_blobs(self._bucket, prefix=f"{self._prefix}{WORK}"):
            self.delete(str(blob.name)[len(self._prefix) :])

    def scratch(self, name: str) -> Path:
        """See `Place.scratch`."""
        folder = self._scratch / name
        folder.mkdir(parents=True)
        return folder

    def sweep(self, prefix: str) -> None:
        """See `Place.sweep`."""
        path = self._scratch / prefix
        for folder in path.parent.glob(f"{path.name}*"):
            shutil.rmtree(folder, ignore_errors=True)

    def _swapped(self, name: str, data: bytes, generation: int) -> int | None:
        from google.api_core.exceptions import PreconditionFailed

        blob = self._blob(name)
        try:
            blob.upload_from_string(data, if_generation_match=generation, timeout=TIMEOUT_S)
        except PreconditionFailed:
            return None
        return int(blob.generation)

    def _listed(self, prefix: str) -> dict[str, Any]:
        found = self._bucket.client.list_blobs(self._bucket, prefix=self._prefix + prefix)
        return {str(blob.name)[len(self._prefix) :]: blob for blob in found}

    def _blob(self, name: str) -> Any:
        return self._bucket.blob(self._prefix + name)

    def _known(self, name: str) -> Any:
        blob = self._bucket.get_blob(self._prefix + name, timeout=TIMEOUT_S)
        if blob is None:
            raise PlaceError(f"{self.address}/{name}: there is no such object")
        return blob
