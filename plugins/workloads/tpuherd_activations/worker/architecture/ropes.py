"""Reading rotary embeddings: `rope_theta` and `rope_scaling` of older files, `rope_parameters` of newer."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from .rope import LinearRope, Llama3Rope, Rope, YarnRope

if TYPE_CHECKING:
    from .fields import Fields

KINDS = ("default", "linear", "dynamic", "llama3", "yarn")
"""What can be computed."""
LAYER_KINDS = ("full_attention", "sliding_attention")


def rope(config: Fields, theta: float) -> Rope:
    """The one rotary embedding of all layers; `theta` is the family's own base, for files without one."""
    scaling = _scaling(config)
    return _scaled(config, scaling, scaling.number("rope_theta", config.number("rope_theta", theta)))


def ropes(config: Fields, theta: float, local_theta: float) -> dict[str, Rope]:
    """The rotary embeddings of full and of sliding layers (Gemma 3)."""
    scaling = _scaling(config)
    both = {kind: scaling.below(kind) for kind in LAYER_KINDS}
    if not any(
        scaling.has(kind) for kind in LAYER_KINDS
    ):  # an older file: what there is belongs to full layers
        both["full_attention"] = scaling
    bases = (config.number("rope_theta", theta), config.number("rope_local_base_freq", local_theta))
    return {
        kind: _scaled(config, both[kind], both[kind].number("rope_theta", base))
        for kind, base in zip(LAYER_KINDS, bases, strict=True)
    }


def _scaling(config: Fields) -> Fields:
    return config.below("rope_scaling" if config.has("rope_scaling") else "rope_parameters")


def _scaled(config: Fields, scaling: Fields, theta: float) -> Rope:
    kind = scaling.text("rope_type", scaling.text("type", "default"))
    if kind not in KINDS:
        raise scaling.wrong("rope_type", f"one of {', '.join(KINDS)}", kind)
    share = scaling.number("partial_rotary_factor", config.number("partial_rotary_factor", 1.0))
    if share != 1:
        raise ConfigurationError(f"{config.file}: partial_rotary_factor {share} is not supported, only 1 is")
    if kind == "linear":
        return LinearRope(theta=theta, factor=scaling.number("factor"))
    if kind == "dynamic":
        # The frequencies of longer rows would depend on what else is in the batch, so these are refused.
        return Rope(theta=theta, longest=config.whole("max_position_embeddings"))
    if kind == "llama3":
        return _llama3(config, scaling, theta)
    return _yarn(config, scaling, theta) if kind == "yarn" else Rope(theta=theta)


def _original(config: Fields, scaling: Fields) -> int:
    key = "original_max_position_embeddings"
    if config.has(key):
        return config.whole(key)
    return scaling.whole(key) if scaling.has(key) else config.whole("max_position_embeddings")


def _llama3(config: Fields, scaling: Fields, theta: float) -> Llama3Rope:
    return Llama3Rope(
        theta=theta,
        factor=scaling.number("factor"),
        low=scaling.number("low_freq_factor"),
        high=scaling.number("high_freq_factor"),
        original=_original(config, scaling),
    )


def _yarn(config: Fields, scaling: Fields, theta: float) -> YarnRope:
    original = _original(config, scaling)
    stretch = scaling.number("factor", config.number("max_position_embeddings", 1.0) / original)
    return YarnRope(
        theta=theta,
        factor=stretch,
        original=original,
        fast=scaling.number("beta_fast", 32.0),
        slow=scaling.number("beta_slow", 1.0),
        gain=_gain(scaling, stretch),
        whole_pairs=scaling.flag("truncate", default=True),
    )


def _gain(scaling: Fields, stretch: float) -> float:
    if scaling.has("attention_factor"):
        return scaling.number("attention_factor")
    if scaling.values.get("mscale") and scaling.values.get("mscale_all_dim"):
        return _growth(stretch, scaling.number("mscale")) / _growth(stretch, scaling.number("mscale_all_dim"))
    return _growth(stretch, 1.0)


def _growth(stretch: float, scale: float) -> float:
    return 1.0 if stretch <= 1 else 0.1 * scale * math.log(stretch) + 1.0
