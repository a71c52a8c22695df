"""From an address to a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd_activations.reading.dataset import Dataset
from tpuherd_activations.reading.shards import Shards
from tpuherd_activations.worker.errors import PlaceError
from tpuherd_activations.worker.output import documents, layout, manifest
from tpuherd_activations.worker.output.hooks import Hook
from tpuherd_activations.worker.places import open_place

if TYPE_CHECKING:
    from tpuherd_activations.worker.output.manifest import Manifest
    from tpuherd_activations.worker.places import Place


def open_dataset(address: str, *, cache: str | Path | None, unfinished: bool) -> Dataset:
    """See `tpuherd_activations.open`."""
    place, config = _found(address)
    shards = _unfinished(place) if unfinished else _finished(place)
    about = documents.from_bytes(config, layout.CONFIG)
    hooks = {
        name: Hook(name=name, shape=tuple(of["shape"]), kind=of["kind"])
        for name, of in about["hooks"].items()
    }
    return Dataset(config=about, hooks=hooks, shards=Shards(place, shards, Path(cache) if cache else None))


def _found(address: str) -> tuple[Place, bytes]:
    """The dataset's own folder, and what its `config.json` says."""
    place = open_place(address)
    config = place.find(layout.CONFIG)
    if config is not None:
        return place, config
    below = {name.partition("/")[0] for name in place.names() if name.endswith(f"/{layout.CONFIG}")}
    if len(below) != 1:
        several = f"there are several datasets, name one: {', '.join(sorted(below))}"
        raise PlaceError(f"{address}: {several if below else 'there is no dataset of activations'}")
    return _found(f"{address.rstrip('/')}/{below.pop()}")


def _finished(place: Place) -> list[Manifest]:
    data = place.find(layout.DATASET)
    where = f"{place.address}/{layout.DATASET}"
    if data is None:
        raise PlaceError(f"{where}: the dataset is not finished; `unfinished=True` opens what is there")
    about = documents.from_bytes(data, where)
    return [manifest.from_values(value, where) for value in about["shards"]]


def _unfinished(place: Place) -> list[Manifest]:
    found = [manifest.read(place.find(name) or b"", name) for name in place.names(layout.MANIFESTS)]
    if not found:
        raise PlaceError(f"{place.address}: no shard is finished yet")
    return found
