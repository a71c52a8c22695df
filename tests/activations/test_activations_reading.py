"""Reading and exporting a dataset, from a folder and from a bucket."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import extracting
import numpy as np
import pytest
from safetensors.numpy import load_file

import tpuherd_activations
from tpuherd_activations.worker.errors import PlaceError
from tpuherd_activations.worker.tensors import as_float32, as_kind

RESID, Z = (hook.name for hook in extracting.HOOKS)


@pytest.fixture
def in_bucket(made, bucket):
    return extracting.extract(str(made.parents[1] / "in"), f"{bucket}/out")


def test_every_row_comes_once_shuffled_the_same_way_each_time(made):
    dataset = tpuherd_activations.open(made)
    plain = dataset.take(np.arange(len(dataset)))
    batches = list(dataset.batches(100, seed=5, mix=3))
    assert [len(batch.token_ids) for batch in batches[:-1]] == [100] * (len(batches) - 1)
    keys = np.concatenate([batch.document_ids * 1000 + batch.positions for batch in batches])
    wanted = plain.document_ids * 1000 + plain.positions
    assert not np.array_equal(keys, wanted)
    order = np.searchsorted(wanted, keys)
    assert np.array_equal(np.sort(keys), wanted)
    for hook in (RESID, Z):
        values = np.concatenate([batch.activations[hook] for batch in batches])
        assert np.array_equal(values, plain.activations[hook][order])
    again = np.concatenate(
        [b.document_ids * 1000 + b.positions for b in dataset.batches(77, [], seed=5, mix=3)]
    )
    assert np.array_equal(again, keys)


def test_rows_in_their_order_and_one_hook_only(made):
    dataset = tpuherd_activations.open(made.parent)  # the folder above holds one dataset only
    batches = list(dataset.batches(64, [Z], seed=None))
    assert list(batches[0].activations) == [Z]
    assert batches[0].activations[Z].shape == (64, 2, 3)
    documents = np.concatenate([batch.document_ids for batch in batches])
    assert np.array_equal(documents, np.sort(documents))


def test_random_access_keeps_the_order_asked_for(made):
    dataset = tpuherd_activations.open(made)
    wanted = [len(dataset) - 1, 0, 700, 0]
    rows = dataset.take(wanted)
    whole = dataset.take(np.arange(len(dataset)))
    assert np.array_equal(rows.activations[RESID], whole.activations[RESID][wanted])
    assert rows.positions.tolist() == whole.positions[wanted].tolist()
    assert dataset.take([]).activations[Z].shape == (0, 2, 3)
    with pytest.raises(IndexError, match=f"there are {len(dataset)}"):
        dataset.take([len(dataset)])


def test_statistics_are_those_of_the_rows(made):
    dataset = tpuherd_activations.open(made)
    rows = dataset.take(np.arange(len(dataset))).activations[Z]
    found = dataset.statistics(Z)
    assert np.allclose(found["mean"], rows.mean(axis=0), atol=1e-5)
    assert np.allclose(found["std"], rows.std(axis=0), atol=1e-5)
    assert np.allclose(found["norm"], np.linalg.norm(rows.reshape(-1, 6), axis=1).mean(), rtol=1e-5)


def test_a_reader_that_is_left_early_ends_its_thread(made):
    batches = tpuherd_activations.open(made).batches(10, prefetch=1)
    next(batches)
    batches.close()  # joins


def test_a_bucket_reads_like_a_folder(made, in_bucket, tmp_path):
    here, there = (
        tpuherd_activations.open(made),
        tpuherd_activations.open(in_bucket, cache=tmp_path / "cache"),
    )
    for one, other in zip(here.batches(256), there.batches(256), strict=True):
        assert np.array_equal(one.activations[RESID], other.activations[RESID])
        assert np.array_equal(one.token_ids, other.token_ids)
    assert not there.verify()
    assert list((tmp_path / "cache").rglob("*.safetensors"))


def test_the_official_library_reads_the_files(made):
    about = json.loads((made / "manifests/part-000001.json").read_text())
    dataset = tpuherd_activations.open(made)
    begin, end = dataset.shards.begins[1:3]
    rows = dataset.take(np.arange(begin, end))
    z = load_file(made / about["files"][Z]["name"])["activations"]
    assert np.array_equal(z, rows.activations[Z])
    index = load_file(made / about["files"]["rows"]["name"])
    assert np.array_equal(index["token_ids"], rows.token_ids)
    assert index["document_ids"].dtype == np.int64


def test_damage_is_found(made, tmp_path):
    copy = Path(shutil.copytree(made, tmp_path / "copy"))
    file = next(copy.glob(f"shards/part-000000/{Z}*"))
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    (problem,) = tpuherd_activations.open(copy).verify()
    assert file.name in problem
    file.unlink()
    with pytest.raises(PlaceError, match="there is no such file"):
        tpuherd_activations.open(copy).take([0])


def test_what_cannot_be_opened_says_why(made, tmp_path):
    with pytest.raises(PlaceError, match="there is no dataset of activations"):
        tpuherd_activations.open(tmp_path)
    with pytest.raises(PlaceError, match=r"there is no hook 'blocks\.9"):
        tpuherd_activations.open(made).take([0], ["blocks.9"])
    (tmp_path / "open").mkdir()
    for name in ("config.json", "plan.json"):
        (tmp_path / "open" / name).write_bytes((made / name).read_bytes())
    with pytest.raises(PlaceError, match="the dataset is not finished"):
        tpuherd_activations.open(tmp_path / "open")
    with pytest.raises(PlaceError, match="no shard is finished yet"):
        tpuherd_activations.open(tmp_path / "open", unfinished=True)


def test_bfloat16_rounds_to_the_nearest_even():
    values = np.array([1, 1 + 2**-8, 1 + 3 * 2**-8, -1.00390625, np.inf, -0.0, 3.4e38], np.float32)
    found = as_float32(as_kind(values, "BF16"), "BF16")
    assert found.tolist() == [1, 1, 1 + 2**-6, -1, np.inf, 0, np.inf]
    assert np.isnan(as_float32(as_kind(np.array([np.nan], np.float32), "BF16"), "BF16"))[0]
