"""Run a checkpoint on eight devices in several arrangements and on one: `sharded.py PACKAGES CHECKPOINT`.

Prints the meshes that came of the settings; fails if any hook differs.
"""

from __future__ import annotations

import json
import sys

sys.path.insert(0, sys.argv[1])

import jax
import jax.numpy as jnp
import numpy as np
from tpuherd_activations_worker.architecture import read
from tpuherd_activations_worker.errors import BatchError, MeshError
from tpuherd_activations_worker.model import load as loading
from tpuherd_activations_worker.model import meshes
from tpuherd_activations_worker.model.setting import MeshShape

SETTINGS = ("data=8", "data=2,fsdp=2,tensor=2", "fsdp=4,tensor=2", "auto")


def main(checkpoint: str) -> None:
    rng = np.random.default_rng(0)
    tokens = rng.integers(0, 97, (8, 140))
    segments = np.where(np.arange(140) < rng.integers(10, 140, (8, 1)), 1, 2)
    single = loading.place
    loading.place = lambda *_: meshes.build(MeshShape(data=1, fsdp=1, tensor=1), jax.devices()[:1])
    alone = loading.load(checkpoint, dtype=jnp.float32)
    loading.place = single
    expected = alone.run(tokens, segments, alone.taps("*"))
    shapes = {}
    for setting in SETTINGS:
        model = loading.load(checkpoint, mesh=setting, dtype=jnp.float32)
        found = model.run(tokens, segments, model.taps("*"))
        for hook, value in found.items():
            assert {shard.data.shape[1:] for shard in value.addressable_shards} == {value.shape[1:]}, hook
            np.testing.assert_allclose(
                value, expected[hook], rtol=1e-3, atol=1e-4, err_msg=f"{setting} {hook}"
            )
        shapes[setting] = [model.placement.mesh.shape[name] for name in ("data", "fsdp", "tensor")]
        refused(model, tokens, segments)
    whole, part = (sum(array.nbytes for array in jax.tree.leaves(some.blocks)) for some in (alone, model))
    assert whole == part
    assert len(read(checkpoint).layers) == len(model.blocks)
    print(json.dumps(shapes))


def refused(model: object, tokens: np.ndarray, segments: np.ndarray) -> None:
    parts = model.placement.row_parts
    try:
        model.run(tokens[: parts - 1], segments[: parts - 1], model.taps("hook_embed"))
    except BatchError as error:
        assert f"use a multiple of {parts}" in str(error)  # noqa: PT017
    else:
        raise MeshError("rows that cannot be divided were taken")


main(sys.argv[2])
