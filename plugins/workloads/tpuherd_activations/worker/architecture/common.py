"""What the families have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .architecture import Architecture, Layer

if TYPE_CHECKING:
    from .fields import Fields

ACTIVATIONS = {
    "silu": "silu",
    "swish": "silu",
    "gelu": "gelu",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_new": "gelu_tanh",
    "relu": "relu",
}
"""The names in files, and ours."""


def plain(config: Fields, layers: tuple[Layer, ...], **more: Any) -> Architecture:
    """What all have in common; `more` replaces what a family does differently."""
    heads, width = config.whole("num_attention_heads"), config.whole("hidden_size")
    head_dim = more.get("head_dim") or config.whole("head_dim", max(width // heads, 1))
    defaults: dict[str, Any] = {
        "family": config.text("model_type"),
        "vocabulary": config.whole("vocab_size"),
        "width": width,
        "inner": config.whole("intermediate_size"),
        "heads": heads,
        "kv_heads": _kv_heads(config, heads),
        "head_dim": head_dim,
        "layers": layers,
        "epsilon": config.number("rms_norm_eps", 1e-6),
        "qkv_bias": False,
        "output_bias": False,
        "mlp_bias": False,
        "query_key_norm": False,
        "unit_offset": False,
        "sandwich": False,
        "embedding_scale": 1.0,
        "attention_scale": head_dim**-0.5,
        "soft_cap": None,
    }
    if "activation" not in more:
        defaults["activation"] = activation(config, "hidden_act", "silu")
    return Architecture(**(defaults | more))


def _kv_heads(config: Fields, heads: int) -> int:
    found = config.whole("num_key_value_heads", heads)
    if heads % found:
        raise config.wrong("num_key_value_heads", f"a divisor of num_attention_heads ({heads})", found)
    return found


def activation(config: Fields, key: str, default: str) -> str:
    """Our name of the function that a key names."""
    name = config.text(key, default)
    if name not in ACTIVATIONS:
        raise config.wrong(key, f"one of {', '.join(ACTIVATIONS)}", name)
    return ACTIVATIONS[name]
