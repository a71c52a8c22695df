"""From all shards to a dataset: statistics, totals, and nothing that does not belong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..tensors import TensorFile, tensors
from . import documents, layout, manifest
from .statistics import figures

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from ..places import Identity, Place
    from .hooks import Hook
    from .manifest import Manifest


def committed(place: Place) -> set[str]:
    """Names of the manifests that are there."""
    return set(place.names(layout.MANIFESTS))


def finish(place: Place, parts: int, hooks: Sequence[Hook], folder: Path) -> None:
    """Write the dataset's own commit record; to be called when all shards are there, by one or by several.

    Args:
        place: The dataset's.
        parts: How many there are.
        hooks: Those of the dataset.
        folder: A folder of this machine for what is fetched and written on the way.

    Raises:
        PlaceError: a file is missing or damaged.
    """
    if place.find(layout.DATASET) is not None:
        return
    found = [_read(place, index) for index in range(parts)]
    _remove_strays(place, found)
    statistics = _statistics(place, found, hooks, folder)
    totals = {name: sum(getattr(shard, name) for shard in found) for name in manifest.COUNTS}
    about = {
        "format": layout.FORMAT,
        "totals": totals,
        "statistics": {"size_bytes": statistics.size_bytes, "crc32c": statistics.crc32c},
        "shards": [shard.as_values() for shard in found],
    }
    place.create(layout.DATASET, documents.to_bytes(about))


def totals_of(place: Place) -> dict[str, Any] | None:
    """What a finished dataset holds, and where it is; `None` if it is not finished."""
    data = place.find(layout.DATASET)
    if data is None:
        return None
    about = documents.from_bytes(data, f"{place.address}/{layout.DATASET}")
    size = sum(of["size_bytes"] for shard in about["shards"] for of in shard["files"].values())
    return {"address": place.address, "size_bytes": size, "shards": len(about["shards"]), **about["totals"]}


def _read(place: Place, index: int) -> Manifest:
    name = layout.manifest(index)
    return manifest.read(place.find(name) or b"", f"{place.address}/{name}")


def _remove_strays(place: Place, found: Sequence[Manifest]) -> None:
    """Files that no manifest names: of a worker that was killed, or was second and had other bytes."""
    known = {file.name for shard in found for file in shard.files.values()}
    for name in place.names("shards/"):
        if name not in known:
            place.delete(name)


def _statistics(place: Place, found: Sequence[Manifest], hooks: Sequence[Hook], folder: Path) -> Identity:
    shapes: dict[str, tuple[str, tuple[int, ...]]] = {}
    for hook in hooks:
        shapes |= {f"{hook.name}.{what}": ("F32", hook.shape) for what in ("mean", "std")}
        shapes[f"{hook.name}.norm"] = ("F32", (1,))
    file = TensorFile(folder / layout.STATISTICS, shapes, {})
    sums = _added(place.local(shard.files[layout.SUMS].name, folder) for shard in found)
    rows = sum(shard.rows for shard in found)
    for hook in hooks:
        total, squares, norm = (sums[f"{hook.name}.{what}"] for what in ("total", "squares", "norm"))
        for what, values in figures(total, squares, float(norm[0]), rows).items():
            file.tensors[f"{hook.name}.{what}"][...] = values
    file.close()
    identity = file.identity()
    place.deliver(layout.STATISTICS, file.path, identity)
    return identity


def _added(files: Iterable[Path]) -> dict[str, NDArray[np.float64]]:
    """The tensors of files, by name, added up in the order of the files."""
    found: dict[str, NDArray[np.float64]] = {}
    for file in files:
        found = {name: found.get(name, np.float64(0)) + values for name, values in tensors(file).items()}
    return found
