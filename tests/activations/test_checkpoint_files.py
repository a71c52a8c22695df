from __future__ import annotations

import json

import numpy as np
import pytest
from activations_files import save

from tpuherd_activations.worker.architecture import read
from tpuherd_activations.worker.errors import CheckpointError
from tpuherd_activations.worker.loading import leaves
from tpuherd_activations.worker.loading.arrays import prefix_of
from tpuherd_activations.worker.loading.checkpoint import open_checkpoint
from tpuherd_activations.worker.loading.stored import header


def test_tensors_are_read_where_they_lie(tmp_path, numbers):
    save(tmp_path / "model.safetensors", {"a": numbers(2, 3), "b": numbers(4)})
    found = open_checkpoint(tmp_path).find("b", (4,)).read()
    np.testing.assert_array_equal(found, [0, 1, 2, 3])


def test_several_files_with_an_index(tmp_path, numbers):
    save(tmp_path / "one.safetensors", {"a": numbers(2)})
    save(tmp_path / "two.safetensors", {"b": numbers(3)})
    save(tmp_path / "other.safetensors", {"c": numbers(3)})
    weights = {"a": "one.safetensors", "b": "two.safetensors"}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weights}))
    assert open_checkpoint(tmp_path).tensors.keys() == {"a", "b"}
    (tmp_path / "two.safetensors").unlink()
    with pytest.raises(CheckpointError, match=r"two\.safetensors: no such file, though .* names it"):
        open_checkpoint(tmp_path)


def test_a_missing_tensor_and_a_wrong_shape_are_named(tmp_path, numbers):
    save(tmp_path / "model.safetensors", {"a": numbers(2, 3)})
    found = open_checkpoint(tmp_path)
    with pytest.raises(CheckpointError, match=r"no file has the tensor b, expected with shape \[4\]"):
        found.find("b", (4,))
    with pytest.raises(CheckpointError, match=r"model.safetensors: a: expected shape \[3, 2\].*got \[2, 3\]"):
        found.find("a", (3, 2))


def test_a_file_that_was_cut_short(tmp_path, numbers):
    file = save(tmp_path / "model.safetensors", {"a": numbers(64)})
    whole = file.read_bytes()
    for kept, words in (
        (len(whole) - 1, "the file ends before it"),
        (20, "cut short"),
        (3, "no safetensors file"),
    ):
        file.write_bytes(whole[:kept])
        with pytest.raises(CheckpointError, match=words):
            header(file)


def test_a_size_that_does_not_hold_the_shape(tmp_path, numbers):
    file = save(tmp_path / "model.safetensors", {"a": numbers(6)}, kind="F16")
    with pytest.raises(CheckpointError, match=r"a: 24 bytes do not hold \[6\] of F16"):
        header(file)


def test_whole_numbers_are_no_weights(tmp_path):
    save(tmp_path / "model.safetensors", {"a": np.zeros(4, np.uint8)}, kind="U8")
    with pytest.raises(CheckpointError, match=r"a: its numbers are U8.*quantized"):
        open_checkpoint(tmp_path).find("a", (4,)).read()


def test_pickled_weights_are_not_read(tmp_path):
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(CheckpointError, match=r"no \*.safetensors files \(pickled weights are not read"):
        open_checkpoint(tmp_path)


@pytest.mark.parametrize("prefix", ["model.", "", "language_model.model.", "model.language_model."])
def test_names_of_several_ages(tmp_path, numbers, prefix):
    save(tmp_path / "model.safetensors", {f"{prefix}embed_tokens.weight": numbers(2), "x": numbers(1)})
    assert prefix_of(open_checkpoint(tmp_path)) == prefix


def test_a_checkpoint_of_something_else(tmp_path, numbers):
    save(tmp_path / "model.safetensors", {"wte.weight": numbers(2)})
    with pytest.raises(CheckpointError, match=r"model\.embed_tokens\.weight.*there is wte.weight"):
        prefix_of(open_checkpoint(tmp_path))


def test_the_arrays_of_a_block_hold_every_number_once(config_in):
    found = read(config_in(model_type="qwen3", head_dim=20, attention_bias=True))
    block = leaves.block(found, 2)
    assert block["qkv"].shape == (2, 6, 20, 64)
    assert block["qkv_bias"].shape == (2, 6, 20)
    assert block["gate_up"].shape == (2, 96, 64)
    for leaf in block.values():
        assert len(leaf.axes) == len(leaf.shape)
        assert sum(np.prod(part.shape) for part in leaf.parts) == np.prod(leaf.shape)
        assert all(part.name.startswith("layers.2.") for part in leaf.parts)
