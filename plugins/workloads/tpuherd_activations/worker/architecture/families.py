"""How each family of decoders is described, by `model_type`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import ConfigurationError
from . import windows
from .architecture import Architecture, Layer
from .common import activation, plain
from .ropes import rope, ropes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .fields import Fields


def llama(config: Fields) -> Architecture:
    """Llama 1 to 3 and what calls itself so."""
    bias = config.flag("attention_bias", default=False)
    return plain(
        config,
        _same(config, [windows.FULL] * config.whole("num_hidden_layers")),
        qkv_bias=bias,
        output_bias=bias,
        mlp_bias=config.flag("mlp_bias", default=False),
    )


def mistral(config: Fields) -> Architecture:
    """Mistral: all layers slide unless `sliding_window` is null."""
    kind = windows.FULL if config.values.get("sliding_window", 4096) is None else windows.SLIDING
    return plain(config, _same(config, [kind] * config.whole("num_hidden_layers")))


def qwen2(config: Fields) -> Architecture:
    """Qwen2 and Qwen2.5: biases on queries, keys and values."""
    return plain(config, _same(config, windows.above(config)), qkv_bias=True)


def qwen3(config: Fields) -> Architecture:
    """Qwen3: norms on queries and keys, heads of 128 unless told otherwise."""
    bias = config.flag("attention_bias", default=False)
    return plain(
        config,
        _same(config, windows.above(config)),
        qkv_bias=bias,
        output_bias=bias,
        query_key_norm=True,
        head_dim=config.whole("head_dim", 128),
    )


def gemma2(config: Fields) -> Architecture:
    """Gemma 2: sliding and full layers by turns, soft caps."""
    kinds = windows.every(config, 2)
    capped = config.values.get("attn_logit_softcapping", 50.0) is not None
    cap = config.number("attn_logit_softcapping", 50.0) if capped else None
    return _gemma(config, _same(config, kinds), soft_cap=cap)


def gemma3(config: Fields) -> Architecture:
    """Gemma 3's text: every sixth layer is full, with a rotary embedding of its own."""
    if config.flag("use_bidirectional_attention", default=False):
        raise ConfigurationError(f"{config.file}: use_bidirectional_attention is not supported")
    kinds = windows.every(config, config.whole("sliding_window_pattern", 6))
    turning = ropes(config, 1_000_000.0, 10_000.0)
    spans = windows.widths(config, kinds, 4096)
    layers = tuple(Layer(window=span, rope=turning[kind]) for kind, span in zip(kinds, spans, strict=True))
    return _gemma(config, layers, query_key_norm=True)


FAMILIES: dict[str, Callable[[Fields], Architecture]] = {
    "llama": llama,
    "mistral": mistral,
    "qwen2": qwen2,
    "qwen3": qwen3,
    "gemma2": gemma2,
    "gemma3_text": gemma3,
}
"""By `model_type`."""


def _same(config: Fields, kinds: Sequence[str]) -> tuple[Layer, ...]:
    """Layers with one rotary embedding."""
    turning = rope(config, 10_000.0)
    return tuple(Layer(window=span, rope=turning) for span in windows.widths(config, kinds, 4096))


def _gemma(config: Fields, layers: tuple[Layer, ...], **more: Any) -> Architecture:
    bias = config.flag("attention_bias", default=False)
    defaults: dict[str, Any] = {
        "head_dim": config.whole("head_dim", 256),
        "activation": activation(config, "hidden_activation", "gelu_pytorch_tanh"),
        "unit_offset": True,
        "sandwich": True,
        "embedding_scale": config.whole("hidden_size") ** 0.5,
        "attention_scale": config.number("query_pre_attn_scalar", 256.0) ** -0.5,
        "qkv_bias": bias,
        "output_bias": bias,
    }
    return plain(config, layers, **(defaults | more))
