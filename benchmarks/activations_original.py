"""The way of working of the system that extraction replaces, rebuilt from its description; not its code.

Batches of four documents, padded to 2048, its default (`Narrow`: to 1536, as if it knew the longest); dense
attention; bfloat16 products without float32 sums; all blocks and the head, whatever is wanted; weights given
to every call in float32, from the host; one pickle per shard, compressed as far as gzip can, with the rows of
the padding. Nothing reads the pickles.
"""

from __future__ import annotations

import gzip
import math
import pickle  # written only
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from activations_work import SIZES, Size
from safetensors.torch import load_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from activations_work import Work

    Weights = Mapping[str, Any]

TOGETHER, LONGEST = 4, 4096
BATCHES = {"tiny": 2, "m100": 1}
"""Of a lap: it is slow, and takes as long for every batch."""
EPSILON, BASE = 1e-6, 10_000.0
"""Of `transformers.Qwen2Config`."""
UNSEEN = -1e9


class Original:
    """A lap makes a shard of a few documents.

    It takes as long whatever their lengths, so they count as documents of the mean length of all.
    """

    width = 2048

    def __init__(self, work: Work) -> None:
        self.layers, self.output = work.layers, Path(mkdtemp(dir=work.folder))
        state = load_file(work.model / "model.safetensors")
        self.weights = {name: np.ascontiguousarray(value.float().numpy().T) for name, value in state.items()}
        documents = work.documents()
        self.documents = documents[: TOGETHER * BATCHES[work.size]]
        self.tokens = round(len(self.documents) * np.mean([len(ids) for ids in documents]))
        whole = jax.jit(partial(forward, SIZES[work.size], tuple(work.layers)))
        self.forward = whole.lower(self.weights, np.zeros((TOGETHER, self.width), np.int32)).compile()

    def warm(self) -> None:
        """It was compiled, for its one shape, when it was made."""

    def __call__(self) -> tuple[int, int]:
        shard: dict[int, list[dict[str, Any]]] = {layer: [] for layer in self.layers}
        for at in range(0, len(self.documents), TOGETHER):
            _, found = self.forward(self.weights, _padded(self.documents[at : at + TOGETHER], self.width))
            for layer, value in found.items():
                for row, one in enumerate(jax.device_get(value)):
                    shard[layer].append(
                        {"sample_idx": at + row, "activation": np.array(one), "shape": one.shape}
                    )
        file = self.output / "shard_0001.pkl.gz"
        with gzip.open(file, "wb", compresslevel=9) as stream:
            pickle.dump(shard, stream)
        return self.tokens, file.stat().st_size


class Narrow(Original):
    """Told how long the longest document is."""

    width = 1536


def _padded(documents: list[np.ndarray], width: int) -> np.ndarray:
    rows = np.zeros((TOGETHER, width), np.int32)
    for row, ids in zip(rows, documents, strict=True):
        row[: len(ids)] = ids
    return rows


def forward(size: Size, wanted: tuple[int, ...], weights: Weights, tokens: jax.Array) -> Any:
    """The logits, and by layer the residual stream after it, [rows, width, size.width]."""
    half = {name: weight.astype(jnp.bfloat16) for name, weight in weights.items()}
    x, kept = half["model.embed_tokens.weight"].T[tokens], {}
    for layer in range(size.layers):
        own = {name.partition(f"layers.{layer}.")[2]: value for name, value in half.items()}
        x = x + _attended(size, own, _norm(x, own["input_layernorm.weight"]))
        x = x + _fed(own, _norm(x, own["post_attention_layernorm.weight"]))
        kept |= {layer: x} if layer in wanted else {}
    return _norm(x, half["model.norm.weight"]) @ half["model.embed_tokens.weight"], kept


def _attended(size: Size, own: Weights, x: jax.Array) -> jax.Array:
    """Every token against every other of its row, also of the padding; scores are float32."""
    queries, keys, values = (_heads(own, name, x, size.width // size.heads) for name in "qkv")
    several = size.heads // size.kv_heads
    keys, values = (jnp.repeat(some, several, axis=2) for some in (_turned(keys), values))
    scores = jnp.einsum("bqhd,bkhd->bhqk", _turned(queries), keys) / math.sqrt(size.width // size.heads)
    seen = jnp.tril(jnp.ones(scores.shape[2:], bool))
    shares = jax.nn.softmax(jnp.where(seen, scores, UNSEEN), axis=-1).astype(x.dtype)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", shares, values)
    return mixed.reshape(x.shape) @ own["self_attn.o_proj.weight"]


def _heads(own: Weights, name: str, x: jax.Array, dim: int) -> jax.Array:
    found = x @ own[f"self_attn.{name}_proj.weight"] + own[f"self_attn.{name}_proj.bias"]
    return found.reshape(*x.shape[:2], -1, dim)


def _turned(x: jax.Array) -> jax.Array:
    """With angles for all places that the model knows, computed in every layer; makes float32 of it."""
    dim = x.shape[-1]
    angles = jnp.outer(jnp.arange(LONGEST), BASE ** (-jnp.arange(0, dim, 2) / dim))[None, : x.shape[1], None]
    first, second = jnp.split(x, 2, axis=-1)
    cosines, sines = jnp.cos(angles), jnp.sin(angles)
    return jnp.concatenate([first * cosines - second * sines, second * cosines + first * sines], axis=-1)


def _fed(own: Weights, x: jax.Array) -> jax.Array:
    gated = jax.nn.silu(x @ own["mlp.gate_proj.weight"]) * (x @ own["mlp.up_proj.weight"])
    return gated @ own["mlp.down_proj.weight"]


def _norm(x: jax.Array, weight: jax.Array) -> jax.Array:
    exact = x.astype(jnp.float32)
    scaled = exact * jax.lax.rsqrt(jnp.mean(exact * exact, axis=-1, keepdims=True) + EPSILON)
    return scaled.astype(x.dtype) * weight
