"""A Hugging Face dataset with the columns that SAELens' `CacheActivationsRunner` writes.

Each of its rows is a context of a fixed number of tokens: a column per hook, Array2D(context, d), and
`token_ids`. Arrow has no bfloat16, so activations are float32 there.
"""

from __future__ import annotations

from importlib import import_module
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from tpuherd_activations.worker.errors import DatasetError
from tpuherd_activations.worker.output.documents import digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tpuherd_activations.reading.dataset import Dataset


def to_huggingface(dataset: Dataset, folder: Path, context: int, hooks: Sequence[str] | None = None) -> int:
    """Save a dataset to disk as `datasets` does; returns how many rows did not fill a last context.

    Args:
        dataset: What `tpuherd_activations.open` gives.
        folder: A new folder.
        context: Tokens per context; contexts go on over the ends of documents.
        hooks: All if None. Hooks with more than one dimension per token are flattened.

    Raises:
        DatasetError: `datasets` is not installed.
        PlaceError: there is no such hook, or a file is missing or damaged.
    """
    try:
        datasets = import_module("datasets")
    except ImportError as error:
        raise DatasetError("exporting to Hugging Face needs the package `datasets`; install it") from error
    names = list(dataset.hooks if hooks is None else hooks)
    features: dict[str, Any] = {
        name: datasets.Array2D((context, int(np.prod(dataset.hooks[name].shape))), "float32")
        for name in names
    }
    features["token_ids"] = datasets.Sequence(datasets.Value("int32"), length=context)
    with TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as cache:
        made = datasets.Dataset.from_generator(
            _contexts,
            features=datasets.Features(features),
            # a tuple: `datasets` takes lists for shards of the input, and runs the generator for each
            gen_kwargs={"dataset": dataset, "names": tuple(names), "context": context},
            cache_dir=cache,
            fingerprint=digest(dict(dataset.config)),
        )
        made.save_to_disk(str(folder))
    return len(dataset) % context


def _contexts(dataset: Dataset, names: Sequence[str], context: int) -> Iterator[dict[str, Any]]:
    for begin in range(0, len(dataset) // context * context, context):
        rows = dataset.take(np.arange(begin, begin + context), names)
        found = {
            name: np.asarray(values, np.float32).reshape(context, -1)
            for name, values in rows.activations.items()
        }
        yield {**found, "token_ids": rows.token_ids}
