"""`.npy` files: one per hook, and one each for token ids, document ids and positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tpuherd_activations.reading.rows import converted
from tpuherd_activations.reading.shards import INDEX

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tpuherd_activations.reading.dataset import Dataset

INDEX_KINDS = dict(zip(INDEX, ("<i4", "<i8", "<i4"), strict=True))


def to_npy(dataset: Dataset, folder: Path, hooks: Sequence[str] | None = None) -> list[Path]:
    """Write a dataset as arrays that numpy can map; bfloat16 becomes float32, which `.npy` has.

    Args:
        dataset: What `tpuherd_activations.open` gives.
        folder: A new folder.
        hooks: All if None.

    Raises:
        FileExistsError: the folder is there already.
        PlaceError: there is no such hook, or a file is missing or damaged.
    """
    names = list(dataset.hooks if hooks is None else hooks)
    folder.mkdir(parents=True)
    files = {name: folder / f"{name}.npy" for name in (*names, *INDEX)}
    arrays = {name: _array(dataset, name, file) for name, file in files.items()}
    begin = 0
    for stored in dataset.stored(names):
        end = begin + len(stored[INDEX[0]])
        for name, values in stored.items():
            kind = dataset.hooks[name].kind if name in dataset.hooks else ""
            arrays[name][begin:end] = converted(values, kind, "numpy")
        begin = end
    for array in arrays.values():
        array.flush()
    return list(files.values())


def _array(dataset: Dataset, name: str, file: Path) -> np.memmap[tuple[int, ...], np.dtype[np.generic]]:
    hook = dataset.hooks.get(name)
    shape = hook.shape if hook else ()
    dtype = ("<f2" if hook.kind == "F16" else "<f4") if hook else INDEX_KINDS[name]
    return np.lib.format.open_memmap(file, mode="w+", dtype=dtype, shape=(len(dataset), *shape))
