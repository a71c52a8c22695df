from __future__ import annotations

import math

import numpy as np
import pytest

from tpuherd_activations.worker.architecture import read
from tpuherd_activations.worker.errors import ConfigurationError

QWEN3 = {"model_type": "qwen3", "head_dim": ...}
GEMMA = {"model_type": "gemma2", "hidden_act": ..., "query_pre_attn_scalar": 64}


def windows(architecture):
    return [layer.window for layer in architecture.layers]


def test_a_llama_with_everything_left_out_has_the_defaults(config_in):
    found = read(config_in())
    assert (found.head_dim, found.group, found.activation, found.epsilon) == (8, 4, "silu", 1e-5)
    assert (found.qkv_bias, found.output_bias, found.mlp_bias, found.sandwich) == (False,) * 4
    assert found.attention_scale == pytest.approx(8**-0.5)
    assert [layer.rope.theta for layer in found.layers] == [10_000.0] * 4


def test_head_dim_need_not_be_width_over_heads(config_in):
    assert read(config_in(head_dim=20)).head_dim == 20
    assert read(config_in(**QWEN3)).head_dim == 128


def test_without_key_heads_every_head_has_its_own(config_in):
    assert read(config_in(num_key_value_heads=...)).kv_heads == 8


def test_qwen2_has_biases_on_queries_keys_and_values_only(config_in):
    found = read(config_in(model_type="qwen2"))
    assert (found.qkv_bias, found.output_bias) == (True, False)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"model_type": "llama", "sliding_window": 7}, [None] * 4),
        ({"model_type": "mistral", "sliding_window": 7}, [7] * 4),
        ({"model_type": "mistral", "sliding_window": None}, [None] * 4),
        ({"model_type": "mistral"}, [4096] * 4),
        ({"model_type": "qwen2", "sliding_window": 7, "max_window_layers": 2}, [None] * 4),
        (
            {"model_type": "qwen2", "use_sliding_window": True, "sliding_window": 7, "max_window_layers": 2},
            [None, None, 7, 7],
        ),
        ({**GEMMA, "sliding_window": 7}, [7, None, 7, None]),
        ({"model_type": "gemma3_text", "sliding_window": 7, "sliding_window_pattern": 3}, [7, 7, None, 7]),
        (
            {"model_type": "gemma3_text", "sliding_window": 7, "layer_types": ["full_attention"] * 4},
            [None] * 4,
        ),
    ],
)
def test_windows(config_in, changes, expected):
    assert windows(read(config_in(**changes))) == expected


def test_gemma_scales_caps_and_norms(config_in):
    found = read(config_in(**GEMMA))
    assert (found.soft_cap, found.embedding_scale, found.attention_scale) == (50.0, 8.0, 0.125)
    assert (found.unit_offset, found.sandwich, found.activation) == (True, True, "gelu_tanh")
    assert read(config_in(**GEMMA, attn_logit_softcapping=None)).soft_cap is None


def test_gemma3_has_two_rotary_embeddings_in_files_of_either_age(config_in):
    old = read(
        config_in(
            model_type="gemma3_text",
            sliding_window_pattern=2,
            rope_theta=1e6,
            rope_local_base_freq=1e4,
            rope_scaling={"factor": 8.0, "rope_type": "linear"},
        )
    )
    new = read(
        config_in(
            model_type="gemma3_text",
            sliding_window_pattern=2,
            rope_parameters={
                "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6},
                "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
            },
        )
    )
    assert old == new
    local, full = (old.layers[index].rope.frequencies(16) for index in (0, 1))
    assert (local[0], full[0]) == (1.0, 0.125)


def test_the_text_part_of_a_multimodal_model(config_in):
    text = {"hidden_size": 64, "num_hidden_layers": 3, "intermediate_size": 96}
    found = read(config_in(model_type="gemma3", text_config=text))
    assert (found.width, len(found.layers), found.heads, found.head_dim) == (64, 3, 8, 256)


def test_llama3_keeps_short_waves_and_stretches_long_ones(config_in):
    scaling = {
        "rope_type": "llama3",
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    }
    plain = read(config_in(rope_theta=5e5, head_dim=64)).layers[0].rope.frequencies(64)
    scaled = read(config_in(rope_theta=5e5, head_dim=64, rope_scaling=scaling)).layers[0].rope.frequencies(64)
    waves = 2 * math.pi / plain
    short, long = waves < 8192 / 4, waves > 8192
    np.testing.assert_allclose(scaled[short], plain[short], rtol=1e-6)
    np.testing.assert_allclose(scaled[long], plain[long] / 8, rtol=1e-6)
    between = ~short & ~long
    assert between.any()
    assert ((scaled < plain) & (scaled > plain / 8))[between].all()


def test_yarn_has_an_amplitude(config_in):
    scaling = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}
    found = read(config_in(rope_scaling=scaling)).layers[0].rope
    assert found.amplitude == pytest.approx(0.1 * math.log(4) + 1)
    assert found.frequencies(8)[0] == 1


def test_dynamic_scaling_has_a_limit(config_in):
    scaling = {"type": "dynamic", "factor": 2.0}
    found = read(config_in(rope_scaling=scaling, max_position_embeddings=512))
    assert found.layers[0].rope.longest == 512


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model_type": "gpt2"}, "model_type: 'gpt2' is not supported; supported are gemma2, gemma3"),
        ({"model_type": ...}, "model_type is missing"),
        ({"hidden_size": ...}, "hidden_size is missing"),
        ({"hidden_size": "64"}, "hidden_size: expected a whole number above zero, got '64'"),
        ({"num_hidden_layers": 0}, "num_hidden_layers: expected a whole number above zero, got 0"),
        ({"num_key_value_heads": 3}, r"expected a divisor of num_attention_heads \(8\), got 3"),
        ({"hidden_act": "mish"}, "hidden_act: expected one of silu, swish, gelu"),
        (
            {"quantization_config": {"quant_method": "gptq"}},
            r"quantized \(gptq\).*use the checkpoint in bfloat16",
        ),
        ({"rope_scaling": {"type": "longrope"}}, "rope_scaling.rope_type: expected one of default, linear"),
        ({"rope_scaling": {"type": "linear"}}, "rope_scaling.factor is missing"),
        ({"rope_parameters": {"partial_rotary_factor": 0.5}}, "partial_rotary_factor 0.5 is not supported"),
        (
            {"model_type": "qwen2", "use_sliding_window": True, "layer_types": ["x"]},
            "layer_types: expected a list of 4",
        ),
        ({"model_type": "gemma3_text", "use_bidirectional_attention": True}, "use_bidirectional_attention"),
    ],
)
def test_what_is_refused(config_in, changes, words):
    changes = {"sliding_window": 8, **changes} if changes.get("use_sliding_window") else changes
    with pytest.raises(ConfigurationError, match=words) as caught:
        read(config_in(**changes))
    assert "config.json" in str(caught.value)


def test_a_folder_without_configuration(tmp_path):
    with pytest.raises(ConfigurationError, match="no such file"):
        read(tmp_path)


def test_a_broken_configuration(tmp_path):
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(ConfigurationError, match=r"config\.json: cannot be read"):
        read(tmp_path)
