"""Configurations of small models, a bucket, and a dataset."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import extracting
import numpy as np
import pytest

from tpuherd_emulator.storage import server as storage_server

if TYPE_CHECKING:
    from collections.abc import Callable

LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "vocab_size": 100,
    "rms_norm_eps": 1e-5,
}


@pytest.fixture
def config_in(tmp_path: Path) -> Callable[..., Path]:
    """Write a `config.json` with changes; a change to `...` leaves the key out. Returns the folder."""

    def write(**changes: Any) -> Path:
        found = {key: value for key, value in {**LLAMA, **changes}.items() if value is not ...}
        (tmp_path / "config.json").write_text(json.dumps(found))
        return tmp_path

    return write


@pytest.fixture
def numbers() -> Callable[..., np.ndarray]:
    """Float32 numbers of a shape, all different."""
    return lambda *shape: np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)


@pytest.fixture
def storage(tmp_path, monkeypatch):
    """A running object store with a bucket `data`."""
    running = storage_server.start(
        "127.0.0.1", 0, "a-token-for-tests", tmp_path / "store", default_buckets=["data"]
    )
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", running.url)
    yield running
    running.stop()


@pytest.fixture
def bucket(storage):
    return "gs://data"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A dataset in a folder, and the store that has it as well."""
    folder = tmp_path_factory.mktemp("made")
    extracting.write(folder / "in/a.jsonl", extracting.documents())
    return Path(extracting.extract(str(folder / "in"), str(folder / "out")))
