"""A Hugging Face dataset with the columns that SAELens' `CacheActivationsRunner` writes.

Each of its rows is a context of a fixed number of tokens: a column per hook, Array2D(context, d), and
`token_ids`. Arrow has no bfloat16, so activations are float32 there.
"""

from __future__ import annotations

from importlib import import_module
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from tpuherd_activations.exporting.folders import new_folder
from tpuherd_activations.exporting.telling import Tell, silent
from tpuherd_activations.worker.errors import DatasetError
from tpuherd_activations.worker.output.documents import digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tpuherd_activations.reading.dataset import Dataset

NUMBER_BYTES = 4
"""Of a float32, and of a token id."""
COPIES = 2
"""`datasets` writes its cache first, and then what was asked for."""


def to_huggingface(
    dataset: Dataset,
    folder: Path,
    context: int,
    hooks: Sequence[str] | None = None,
    tell: Tell = silent,
) -> int:
    """Save a dataset to disk as `datasets` does; returns how many rows did not fill a last context.

    Args:
        dataset: What `tpuherd_activations.open` gives.
        folder: A new folder.
        context: Tokens per context; contexts go on over the ends of documents.
        hooks: All if None. Hooks with more than one dimension per token are flattened.
        tell: Gets how many rows are done.

    Raises:
        DatasetError: `datasets` is not installed, or there are fewer rows than one context has.
        PlaceError: the folder is there already, the disk has no room, there is no such hook, or a file is
            missing or damaged.
    """
    if not 1 <= context <= len(dataset):
        raise DatasetError(f"context: expected 1 to {len(dataset)}, the rows that there are, got {context}")
    try:
        datasets = import_module("datasets")
    except ImportError as error:
        raise DatasetError("exporting to Hugging Face needs the package `datasets`; install it") from error
    widths = {name: prod(dataset.hooks[name].shape) for name in dataset.known(hooks)}
    features: dict[str, Any] = {
        name: datasets.Array2D((context, width), "float32") for name, width in widths.items()
    }
    features["token_ids"] = datasets.Sequence(datasets.Value("int32"), length=context)
    size = NUMBER_BYTES * (sum(widths.values()) + 1) * len(dataset)
    with new_folder(folder, COPIES * size) as inside:
        made = datasets.Dataset.from_generator(
            _contexts,
            features=datasets.Features(features),
            # a tuple: `datasets` takes lists for shards of the input, and runs the generator for each
            gen_kwargs={"dataset": dataset, "names": tuple(widths), "context": context, "tell": tell},
            cache_dir=str(inside.parent / "cache"),
            fingerprint=digest(dict(dataset.config)),
        )
        made.save_to_disk(str(inside))
    return len(dataset) % context


def _contexts(dataset: Dataset, names: Sequence[str], context: int, tell: Tell) -> Iterator[dict[str, Any]]:
    for begin in range(0, len(dataset) // context * context, context):
        rows = dataset.take(np.arange(begin, begin + context), names)
        found = {
            name: np.asarray(values, np.float32).reshape(context, -1)
            for name, values in rows.activations.items()
        }
        yield {**found, "token_ids": rows.token_ids}
        tell(begin + context)
