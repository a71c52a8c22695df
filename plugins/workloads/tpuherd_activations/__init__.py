"""Activation extraction; `open` reads a finished dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd_activations.reading.dataset import Dataset

__all__ = ["open"]


def open(path: str | Path, *, cache: str | Path | None = None, unfinished: bool = False) -> Dataset:  # noqa: A001
    """Open a dataset of activations.

    Args:
        path: Its folder, on this machine or `gs://…`, or the folder above if that holds one dataset only.
        cache: Where shards of a bucket are kept; by default what was fetched is removed after use.
        unfinished: Also open what is still being made; it has the shards that are there now.

    Raises:
        PlaceError: there is no dataset, there are several, or it is not finished.
    """
    from tpuherd_activations.reading.opening import open_dataset

    return open_dataset(str(path), cache=cache, unfinished=unfinished)
