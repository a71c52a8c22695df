"""What holds for a run of any family: packing, early stops, sharded devices, and what is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np
import pytest
import torch
import transformers
from checkpoints import SIZES, make, saved
from references import hooks_of, padded
from tpuherd_activations_worker.errors import BatchError, CheckpointError, HookError
from tpuherd_activations_worker.model.load import load

if TYPE_CHECKING:
    from tpuherd_activations_worker.model.model import Model

EXACT = 1e-4
LENGTHS = [150, 61, 40, 9]


@pytest.fixture(scope="module")
def gemma(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gemma3")
    make("gemma3", folder)
    return folder


@pytest.fixture(scope="module")
def model(gemma: Path) -> Model:
    return load(gemma, dtype=jnp.float32)


def packed(width: int) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """All documents in one row, padding between the second and the third and at the end."""
    rng = np.random.default_rng(2)
    documents = [rng.integers(0, SIZES["vocab_size"], length) for length in LENGTHS]
    tokens, segments = np.zeros((1, width), int), np.zeros((1, width), int)
    at = 0
    for number, document in enumerate(documents):
        at += 5 if number == 2 else 0
        tokens[0, at : at + len(document)] = document
        segments[0, at : at + len(document)] = number + 1
        at += len(document)
    return tokens, segments, documents


def close(found: np.ndarray, expected: np.ndarray) -> bool:
    return bool(np.abs(found - expected).max() <= EXACT * max(1.0, np.abs(expected).max()))


def test_a_packed_document_is_as_if_it_were_alone(model: Model):
    tokens, segments, documents = packed(290)
    taps = model.taps("blocks.*.hook_resid_post", "blocks.*.attn.hook_z")
    together = model.run(tokens, segments, taps)
    for number, document in enumerate(documents):
        alone = model.run(document[None], np.ones((1, len(document)), int), taps)
        for hook in taps.names:
            assert close(np.asarray(together[hook])[segments == number + 1], np.asarray(alone[hook])[0]), hook


def test_positions_can_be_given(model: Model):
    tokens = np.arange(20)[None]
    ones = np.ones_like(tokens)
    taps = model.taps("blocks.2.hook_resid_post", "blocks.2.attn.hook_z")
    plain = model.run(tokens, ones, taps)
    same = model.run(tokens, ones, taps, positions=np.arange(20)[None])
    stretched = model.run(tokens, ones, taps, positions=3 * np.arange(20)[None])
    for hook in taps.names:
        np.testing.assert_array_equal(plain[hook], same[hook])
        assert not close(np.asarray(plain[hook]), np.asarray(stretched[hook]))


def test_the_same_numbers_whatever_else_is_asked_for(model: Model):
    batch = padded([70, 30], 70, "right", SIZES["vocab_size"])
    everything = model.run(batch.tokens, batch.segments, model.taps("*"))
    for hook in ("hook_embed", "blocks.0.attn.hook_z", "blocks.1.hook_resid_pre", "blocks.2.mlp.hook_post"):
        (alone,) = model.run(batch.tokens, batch.segments, model.taps(hook)).values()
        assert close(np.asarray(alone), np.asarray(everything[hook])), hook


def test_what_lies_deeper_is_neither_loaded_nor_computed(gemma: Path, model: Model):
    taps = model.taps("blocks.1.attn.hook_z")
    part = load(gemma, dtype=jnp.float32, blocks=taps.blocks)
    assert len(part.blocks) == 2
    batch = padded([20], 20, "right", SIZES["vocab_size"])
    found = part.run(batch.tokens, batch.segments, taps)
    whole = model.run(batch.tokens, batch.segments, taps)
    np.testing.assert_array_equal(found[taps.names[0]], whole[taps.names[0]])
    with pytest.raises(HookError, match=r"blocks.2.hook_resid_post needs 3 blocks, loaded were 2"):
        part.run(batch.tokens, batch.segments, part.taps("blocks.2.hook_resid_post"))


@pytest.mark.parametrize(("glob", "mlp"), [("blocks.1.attn.hook_z", False), ("blocks.1.hook_mlp_out", True)])
def test_the_deepest_block_computes_no_more_than_its_hook_needs(model: Model, glob: str, *, mlp: bool):
    batch = padded([20], 20, "right", SIZES["vocab_size"])
    x = model.programs.enter(model.embedding, jnp.asarray(batch.tokens))
    rows = model.programs.rows(jnp.asarray(batch.segments), jnp.asarray(batch.positions))
    program = model.programs.block(model.architecture.layers[1], model.taps(glob).computed(1))
    text = program.lower(model.blocks[1], x, rows).compile().as_text()
    assert ("[2,80,48]" in text) is mlp  # the weights into the MLP


def test_the_text_part_of_a_multimodal_checkpoint(tmp_path: Path):
    text = SIZES | {"sliding_window": 50, "query_pre_attn_scalar": 30, "num_hidden_layers": 2}
    vision = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = transformers.Gemma3Config(
        text_config=text, vision_config=vision | {"image_size": 28, "patch_size": 14}, mm_tokens_per_image=4
    )
    reference = saved(transformers.Gemma3ForConditionalGeneration, config, tmp_path)
    batch = padded([60, 20], 60, "right", SIZES["vocab_size"])
    model = load(tmp_path, dtype=jnp.float32)
    found = model.run(batch.tokens, batch.segments, model.taps("*"))
    expected = hooks_of(reference, batch)
    for hook, value in found.items():
        assert close(np.asarray(value)[batch.segments > 0], expected[hook][batch.segments > 0]), hook


def test_several_bfloat16_files_load_as_they_are(tmp_path: Path):
    reference = make("qwen2", tmp_path / "whole").to(torch.bfloat16)
    reference.save_pretrained(tmp_path / "split", max_shard_size="30KB")
    assert len(list((tmp_path / "split").glob("*.safetensors"))) > 2
    model = load(tmp_path / "split")
    assert model.embedding.dtype == jnp.bfloat16
    table = reference.model.embed_tokens.weight.detach().float().numpy()
    np.testing.assert_array_equal(np.asarray(model.embedding, np.float32), table)


def test_a_configuration_that_does_not_fit_the_weights(tmp_path: Path):
    make("llama", tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"intermediate_size": 81}))
    with pytest.raises(CheckpointError, match=r"layers.0.mlp.gate_proj.weight: expected shape \[81, 48\]"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("tokens", "segments", "words"),
    [
        ([[1, 2]], [[1, 1, 1]], r"segments: expected the tokens' shape \[1, 2\], got \[1, 3\]"),
        ([[1, 97]], [[1, 1]], "tokens: 97 is out of range, the model takes 0 to 96"),
        ([[1, -1]], [[1, 1]], "tokens: -1 is out of range"),
        ([1, 2], [1, 1], "tokens: expected whole numbers"),
        ([[0.5]], [[1]], "tokens: expected whole numbers"),
    ],
)
def test_batches_that_are_refused(model: Model, tokens: list, segments: list, words: str):
    with pytest.raises(BatchError, match=words):
        model.run(tokens, segments, model.taps("hook_embed"))


def test_dynamic_scaling_refuses_longer_documents(tmp_path: Path):
    make("llama-dynamic", tmp_path)
    model = load(tmp_path, dtype=jnp.float32)
    tokens = np.zeros((1, 513), int)
    with pytest.raises(BatchError, match="positions: 512 is out of range"):
        model.run(tokens, tokens + 1, model.taps("hook_embed"))


@pytest.mark.timeout(1200)  # five models are compiled for eight devices that share two cores
def test_devices_change_nothing(tmp_path: Path):
    """Eight emulated devices in several arrangements give what one gives, all dimensions of it."""
    make("qwen3", tmp_path)
    environment = os.environ | {"XLA_FLAGS": "--xla_force_host_platform_device_count=8"}
    argv = [
        sys.executable,
        Path(__file__).with_name("sharded.py"),
        Path(sys.modules["conftest"].folder),
        tmp_path,
    ]
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "data=8": [8, 1, 1],
        "data=2,fsdp=2,tensor=2": [2, 2, 2],
        "fsdp=4,tensor=2": [1, 4, 2],
        "auto": [8, 1, 1],
    }
