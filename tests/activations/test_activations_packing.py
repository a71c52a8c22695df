"""Documents into batches, and what a run is expected to take."""

from __future__ import annotations

import numpy as np
import pytest

from tpuherd.accelerators import resolve
from tpuherd_activations.estimating import estimate
from tpuherd_activations.worker.architecture import read
from tpuherd_activations.worker.hooks import choose
from tpuherd_activations.worker.input.packing import Shapes, pack
from tpuherd_activations.worker.output.hooks import Hook

SHAPES = Shapes(max_length=1000, batch_tokens=2048, row_multiple=2)


@pytest.mark.parametrize("seed", range(5))
def test_batches_hold_every_token_once_in_few_shapes(seed):
    rng = np.random.default_rng(seed)
    lengths = np.exp(rng.uniform(0, np.log(1000), 300)).astype(int)
    documents = [rng.integers(1, 99, length).astype(np.int32) for length in lengths]
    batches = pack(documents, SHAPES)
    seen = {}
    for batch in batches:
        assert len(batch.tokens) % SHAPES.row_multiple == 0
        assert batch.tokens.size <= max(SHAPES.batch_tokens, 2 * batch.tokens.shape[1])
        for placed in batch.placed:
            span = slice(placed.start, placed.start + len(documents[placed.document]))
            assert np.array_equal(batch.tokens[placed.row, span], documents[placed.document])
            assert len(set(batch.segments[placed.row, span])) == 1
            seen[placed.document] = seen.get(placed.document, 0) + 1
        assert (batch.segments > 0).sum() == sum(len(documents[one.document]) for one in batch.placed)
    assert seen == dict.fromkeys(range(300), 1)
    fill = lengths.sum() / sum(batch.tokens.size for batch in batches)
    assert fill > 0.9
    assert {batch.tokens.shape[1] for batch in batches} <= {128, 256, 512, 1000}


def test_nothing_to_pack():
    assert pack([], SHAPES) == []
    assert pack([np.empty(0, np.int32)], SHAPES) == []


def test_an_estimate_counts_only_the_blocks_that_run(config_in):
    architecture = read(config_in())
    hook = Hook(name="blocks.1.hook_resid_post", shape=(64,), kind="BF16")
    taps = choose(architecture, [hook.name])
    found = estimate(4_000_000, architecture, taps, [hook], resolve("v5litepod-8"), "us-central1-a", "spot")
    assert found.rows == 1_000_000
    assert found.size_bytes == 1_000_000 * (64 * 2 + 16)
    block = 2 * 64 * 64 + 2 * 64 * 16 + 3 * 64 * 96
    assert found.compute_s == pytest.approx(2 * 2 * block * 1e6 / (8 * 197e12 * 0.3))
    assert found.cost_usd == pytest.approx(found.compute_s / 3600 * 8 * 0.245)


def test_what_is_not_known_is_not_guessed(config_in):
    architecture = read(config_in())
    taps = choose(architecture, ["hook_embed"])
    found = estimate(400, architecture, taps, [], resolve("v3-8"), "us-central1-a", "ondemand")
    assert (found.compute_s, found.cost_usd) == (None, None)
