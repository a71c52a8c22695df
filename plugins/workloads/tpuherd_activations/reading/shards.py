"""Shards of a dataset: their files, fetched when they are used, as views of the numbers."""

from __future__ import annotations

import shutil
import tempfile
import threading
import weakref
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tpuherd_activations.worker.output import layout
from tpuherd_activations.worker.places.checksums import identity_of
from tpuherd_activations.worker.tensors import tensor, tensor_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tpuherd_activations.worker.output.manifest import File, Manifest
    from tpuherd_activations.worker.places import Place

INDEX = (layout.TOKEN_IDS, layout.DOCUMENT_IDS, layout.POSITIONS, layout.PROMPTS)
KEPT = 16
"""Shards that stay open, the last used."""


class Shards:
    """Shards by number, in the order of the input.

    Attributes:
        manifests: What each holds.
        begins: [shards + 1], the number of each shard's first row, and that of all rows.
    """

    def __init__(self, place: Place, manifests: Sequence[Manifest], cache: Path | None) -> None:
        """Read nothing yet; without a cache, what is fetched lies in a temporary folder."""
        self.manifests = manifests
        self.begins = np.concatenate([[0], np.cumsum([shard.rows for shard in manifests], dtype=np.int64)])
        self._place = place
        self._temporary = cache is None
        self._folder = cache or Path(tempfile.mkdtemp(prefix="tpuherd-activations-"))
        if cache is None:
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._views: OrderedDict[int, dict[str, NDArray[Any]]] = OrderedDict()
        self._most = KEPT
        self._lock = threading.Lock()

    def rows(self, shard: int, hooks: Sequence[str]) -> dict[str, NDArray[Any]]:
        """Views of a shard by name: the hooks as they are stored, and `INDEX`."""
        with self._lock:
            views = self._views.setdefault(shard, {})
            self._views.move_to_end(shard)
            for hook in hooks:
                if hook not in views:
                    views[hook] = self.view(self.manifests[shard].files[hook], layout.ACTIVATIONS)
            if INDEX[0] not in views:
                index = self.manifests[shard].files[layout.ROWS]
                views.update(self._index(index))
            self._forget_oldest()
            return {name: views[name] for name in (*hooks, *INDEX)}

    @property
    def address(self) -> str:
        """Of the dataset."""
        return self._place.address

    def keep(self, count: int) -> None:
        """Have room for so many shards."""
        self._most = max(self._most, count)

    def view(self, file: File, name: str) -> NDArray[Any]:
        """A tensor of a file."""
        return tensor(self._local(file), name)[0]

    def _index(self, file: File) -> dict[str, NDArray[Any]]:
        """Views of `INDEX`; where no record has several documents, which one it is is not stored."""
        stored = tensor_names(self._local(file))
        found = {name: self.view(file, name) for name in INDEX if name in stored}
        return {layout.PROMPTS: np.zeros(len(found[INDEX[0]]), np.int32)} | found

    def statistics(self, name: str) -> NDArray[Any]:
        """A tensor of the dataset's statistics, copied."""
        return np.array(tensor(self._place.local(layout.STATISTICS, self._folder), name)[0])

    def forget(self, shard: int) -> None:
        """Close a shard, and remove what was fetched of it, unless a cache was asked for."""
        self._views.pop(shard, None)
        for file in self.manifests[shard].files.values() if self._temporary else ():
            (self._folder / file.name).unlink(missing_ok=True)

    def _forget_oldest(self) -> None:
        while len(self._views) > self._most:
            self.forget(next(iter(self._views)))

    def problems(self) -> list[str]:
        """What is wrong with the files; every byte is read."""
        found = []
        for shard, about in enumerate(self.manifests):
            found += [text for file in about.files.values() if (text := self._problem(file))]
            self.forget(shard)
        return found

    def _problem(self, file: File) -> str | None:
        path = self._local(file)
        identity = identity_of(path)
        if (identity.size_bytes, identity.crc32c) == (file.size_bytes, file.crc32c):
            return None
        return f"{file.name}: its checksum is {identity.crc32c:08x}, the manifest has {file.crc32c:08x}"

    def _local(self, file: File) -> Path:
        return self._place.local(file.name, self._folder)
