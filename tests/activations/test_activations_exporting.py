"""Datasets in the formats of others."""

from __future__ import annotations

import sys

import extracting
import numpy as np
import pytest

import tpuherd_activations
from tpuherd_activations.exporting import to_huggingface, to_npy
from tpuherd_activations.worker.errors import DatasetError

RESID, Z = (hook.name for hook in extracting.HOOKS)


def test_npy(made, tmp_path):
    dataset = tpuherd_activations.open(made)
    files = {file.stem: file for file in to_npy(dataset, tmp_path / "npy")}
    rows = dataset.take(np.arange(len(dataset)))
    for hook in (RESID, Z):
        assert np.array_equal(np.load(files[hook], mmap_mode="r"), rows.activations[hook])
    assert np.array_equal(np.load(files["positions"]), rows.positions)
    with pytest.raises(FileExistsError):
        to_npy(dataset, tmp_path / "npy")


def test_hugging_face_columns_are_those_of_saelens(made, tmp_path):
    dataset = tpuherd_activations.open(made)
    datasets = pytest.importorskip("datasets")
    left = to_huggingface(dataset, tmp_path / "hf", 64)
    found = datasets.load_from_disk(str(tmp_path / "hf")).with_format("numpy")
    assert left == len(dataset) % 64
    assert set(found.column_names) == {RESID, Z, "token_ids"}
    rows = dataset.take(np.arange(64, 128))
    assert np.array_equal(found[1][RESID], rows.activations[RESID])
    assert np.array_equal(found[1]["token_ids"], rows.token_ids)


def test_hugging_face_needs_its_library(made, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(DatasetError, match="needs the package `datasets`"):
        to_huggingface(tpuherd_activations.open(made), tmp_path / "hf", 64)
