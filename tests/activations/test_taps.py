from __future__ import annotations

import pytest

from tpuherd_activations.worker.architecture import read
from tpuherd_activations.worker.errors import HookError
from tpuherd_activations.worker.hooks import choose, names, shape


@pytest.fixture
def llama(config_in):
    return read(config_in(head_dim=20))


def test_names_are_those_of_transformer_lens(llama):
    found = names(llama)
    assert len(found) == 1 + 4 * 7 + 2
    assert {"hook_embed", "blocks.3.attn.hook_z", "blocks.0.mlp.hook_post", "ln_final.hook_normalized"} <= {
        *found
    }


def test_shapes_of_a_token(llama):
    assert shape(llama, "blocks.1.attn.hook_z") == (8, 20)
    assert shape(llama, "blocks.1.mlp.hook_post") == (96,)
    assert shape(llama, "blocks.1.hook_resid_post") == (64,)


def test_globs_are_put_into_the_order_of_computation(llama):
    found = choose(llama, ["blocks.[02].hook_resid_post", "hook_embed", "blocks.0.hook_*_out", "hook_embed"])
    assert found.names == (
        "hook_embed",
        "blocks.0.hook_attn_out",
        "blocks.0.hook_mlp_out",
        "blocks.0.hook_resid_post",
        "blocks.2.hook_resid_post",
    )


def test_layers_count_from_the_end(llama):
    assert choose(llama, ["blocks.-1.hook_resid_post"]).names == ("blocks.3.hook_resid_post",)


@pytest.mark.parametrize(
    ("glob", "blocks"),
    [
        ("hook_embed", 0),
        ("blocks.0.hook_resid_pre", 0),
        ("blocks.2.hook_resid_pre", 2),
        ("blocks.2.attn.hook_z", 3),
        ("blocks.1.hook_resid_post", 2),
        ("ln_final.hook_out", 4),
        ("*", 4),
    ],
)
def test_no_more_blocks_than_the_deepest_hook_needs(llama, glob, blocks):
    assert choose(llama, [glob]).blocks == blocks


def test_a_block_computes_the_stream_only_if_something_follows(llama):
    found = choose(llama, ["blocks.1.attn.hook_z", "blocks.0.mlp.hook_post"])
    assert found.computed(0) == {"mlp.hook_post", "hook_resid_post"}
    assert found.computed(1) == {"attn.hook_z"}
    assert choose(llama, ["blocks.2.hook_resid_pre"]).computed(1) == {"hook_resid_post"}


def test_a_glob_that_matches_nothing_names_the_nearest(llama):
    with pytest.raises(
        HookError, match=r"'blocks.2.hook_resid_pots'.*llama model of 4 blocks.*blocks.2.hook_resid_post"
    ):
        choose(llama, ["hook_embed", "blocks.2.hook_resid_pots"])
    with pytest.raises(HookError, match="matches nothing"):
        choose(llama, ["blocks.4.hook_resid_post"])
    with pytest.raises(HookError, match="no hooks were asked for"):
        choose(llama, [])
