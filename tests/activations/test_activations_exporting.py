"""Datasets in the formats of others."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from importlib.util import find_spec

import extracting
import numpy as np
import pytest

import tpuherd_activations
from tpuherd_activations.exporting import to_huggingface, to_npy
from tpuherd_activations.worker.errors import DatasetError, PlaceError

RESID, Z = (hook.name for hook in extracting.HOOKS)


def test_npy(made, tmp_path):
    dataset = tpuherd_activations.open(made)
    files = {file.stem: file for file in to_npy(dataset, tmp_path / "npy")}
    rows = dataset.take(np.arange(len(dataset)))
    for hook in (RESID, Z):
        assert np.array_equal(np.load(files[hook], mmap_mode="r"), rows.activations[hook])
    assert np.array_equal(np.load(files["positions"]), rows.positions)
    with pytest.raises(PlaceError, match="it is there already; name a new folder"):
        to_npy(dataset, tmp_path / "npy")


def test_hugging_face_needs_its_library(made, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(DatasetError, match="needs the package `datasets`"):
        to_huggingface(tpuherd_activations.open(made), tmp_path / "hf", 64)


def test_the_command_writes_arrays_and_says_how_far_it_is(made, tmp_path, tpuherd_run):
    words = ("activations.export", made, tmp_path / "npy", "--hooks", "blocks.0.*")
    done = tpuherd_run(*words, "--json")
    assert done.exit_code == 0, done.stderr
    dataset = tpuherd_activations.open(made)
    told = json.loads(done.stdout)
    assert told == {
        "target": str(tmp_path / "npy"),
        "rows": len(dataset),
        "left_out": 0,
        "hooks": [Z],
    }
    names = {"token_ids", "document_ids", "positions", "prompts", Z}
    assert {file.name for file in (tmp_path / "npy").iterdir()} == {f"{name}.npy" for name in names}
    assert f"{len(dataset):,} of {len(dataset):,} rows" in done.stderr
    again = tpuherd_run(*words)
    assert again.exit_code == 3
    assert "it is there already; name a new folder" in again.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--to", "pickle"], "there is no such format; valid: npy, huggingface"),
        (["--hooks", "blocks.9.*"], "'blocks.9.*' matches none; valid: blocks.0.attn.hook_z"),
        (["--to", "huggingface", "--context", "0"], "context: expected 1 to"),
        (["--to", "huggingface"], "needs the package `datasets`; install it"),
    ],
)
def test_the_command_refuses_what_cannot_be_and_leaves_nothing(made, tmp_path, tpuherd_run, words, message):
    if "datasets" in message and find_spec("datasets") is not None:
        pytest.skip("it is installed here")
    done = tpuherd_run("activations.export", made, tmp_path / "new", *words)
    assert done.exit_code == 3
    assert message in " ".join(done.stderr.split())
    assert not list(tmp_path.iterdir())


def test_a_disk_without_room_is_refused_and_a_half_export_is_removed(made, tmp_path):
    dataset = tpuherd_activations.open(made)
    wide = {name: replace(hook, shape=(10**12,)) for name, hook in dataset.hooks.items()}
    with pytest.raises(PlaceError, match=r"GiB will be written, .* GiB are free; choose fewer hooks"):
        to_npy(replace(dataset, hooks=wide), tmp_path / "npy")

    def stop(_done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        to_npy(dataset, tmp_path / "npy", tell=stop)
    assert not list(tmp_path.iterdir())


def test_show_has_the_statistics_of_all_numbers(made, tpuherd_run):
    dataset = tpuherd_activations.open(made)
    values = dataset.take(np.arange(len(dataset))).activations[Z]
    shown = json.loads(tpuherd_run("activations.show", made, "--json").stdout)["hooks"][Z]
    assert shown["shape"] == [2, 3]
    assert shown["mean"] == pytest.approx(values.mean(), abs=1e-5)
    assert shown["std"] == pytest.approx(values.std(), abs=1e-5)
    norms = np.linalg.norm(values.reshape(-1, 6), axis=1)
    assert shown["norm"] == pytest.approx(norms.mean(), rel=1e-5)
    table = tpuherd_run("activations.show", made).stdout
    assert f"{shown['norm']:.4g}" in next(line for line in table.splitlines() if line.startswith(f" {Z}"))
