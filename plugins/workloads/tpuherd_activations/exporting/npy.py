"""`.npy` files: one per hook, and one each for token ids, document ids, positions and prompts."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from tpuherd_activations.exporting.folders import new_folder
from tpuherd_activations.exporting.telling import Tell, silent
from tpuherd_activations.reading.rows import converted
from tpuherd_activations.reading.shards import INDEX

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tpuherd_activations.reading.dataset import Dataset

INDEX_KINDS = dict(zip(INDEX, ("<i4", "<i8", "<i4", "<i4"), strict=True))


def to_npy(
    dataset: Dataset, folder: Path, hooks: Sequence[str] | None = None, tell: Tell = silent
) -> list[Path]:
    """Write a dataset as arrays that numpy can map; bfloat16 becomes float32, which `.npy` has.

    Args:
        dataset: What `tpuherd_activations.open` gives.
        folder: A new folder.
        hooks: All if None.
        tell: Gets how many rows are done.

    Raises:
        PlaceError: the folder is there already, the disk has no room, there is no such hook, or a file is
            missing or damaged.
    """
    names = dataset.known(hooks)
    row_bytes = sum(_dtype(dataset, name).itemsize * prod(_shape(dataset, name)) for name in (*names, *INDEX))
    with new_folder(folder, row_bytes * len(dataset)) as inside:
        files = [inside / f"{name}.npy" for name in (*names, *INDEX)]
        _fill(dataset, dict(zip((*names, *INDEX), files, strict=True)), names, tell)
    return [folder / file.name for file in files]


def _fill(dataset: Dataset, files: Mapping[str, Path], names: Sequence[str], tell: Tell) -> None:
    arrays = {name: _array(dataset, name, file) for name, file in files.items()}
    begin = 0
    for stored in dataset.stored(names):
        end = begin + len(stored[INDEX[0]])
        for name, values in stored.items():
            kind = dataset.hooks[name].kind if name in dataset.hooks else ""
            arrays[name][begin:end] = converted(values, kind, "numpy")
        begin = end
        tell(end)
    for array in arrays.values():
        array.flush()


def _array(dataset: Dataset, name: str, file: Path) -> np.memmap[tuple[int, ...], np.dtype[np.generic]]:
    shape = (len(dataset), *_shape(dataset, name))
    return np.lib.format.open_memmap(file, mode="w+", dtype=_dtype(dataset, name), shape=shape)


def _shape(dataset: Dataset, name: str) -> tuple[int, ...]:
    return dataset.hooks[name].shape if name in dataset.hooks else ()


def _dtype(dataset: Dataset, name: str) -> np.dtype[np.generic]:
    hook = dataset.hooks.get(name)
    return np.dtype(("<f2" if hook.kind == "F16" else "<f4") if hook else INDEX_KINDS[name])
