"""What `transformers` computes, hook by hook."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Batch:
    """Tokens [rows, length], documents (0 is padding) and positions, the same shape."""

    tokens: np.ndarray
    segments: np.ndarray
    positions: np.ndarray


def padded(lengths: list[int], width: int, side: str, vocabulary: int) -> Batch:
    """One document per row."""
    rng = np.random.default_rng(0)
    tokens = rng.integers(0, vocabulary, (len(lengths), width))
    segments, positions = np.zeros_like(tokens), np.zeros_like(tokens)
    for row, length in enumerate(lengths):
        where = slice(0, length) if side == "right" else slice(width - length, width)
        segments[row, where], positions[row, where] = 1, np.arange(length)
    return Batch(tokens, segments, positions)


def hooks_of(model: Any, batch: Batch) -> dict[str, np.ndarray]:
    """Every hook point, float32, of a causal model and a batch with one document per row."""
    text = model.model.language_model if hasattr(model.model, "language_model") else model.model
    found: dict[str, torch.Tensor] = {}
    handles = [part.register_forward_hook(hook, with_kwargs=True) for part, hook in _watches(text, found)]
    try:
        with torch.no_grad():
            text(
                input_ids=torch.from_numpy(batch.tokens),
                attention_mask=torch.from_numpy((batch.segments > 0).astype(np.int64)),
                position_ids=torch.from_numpy(batch.positions),
                use_cache=False,
            )
    finally:
        for handle in handles:
            handle.remove()
    heads = text.config.num_attention_heads
    return {name: _numbers(name, value, heads) for name, value in found.items()}


def _numbers(name: str, value: torch.Tensor, heads: int) -> np.ndarray:
    plain = value.float().numpy()
    return plain.reshape(*plain.shape[:2], heads, -1) if name.endswith("hook_z") else plain


def _watches(text: Any, found: dict[str, torch.Tensor]) -> list[tuple[Any, Callable[..., None]]]:
    def output(name: str) -> Callable[..., None]:
        def hook(_part: Any, _args: Any, _kwargs: Any, out: Any) -> None:
            found[name] = out[0] if isinstance(out, tuple) else out

        return hook

    def entering(name: str) -> Callable[..., None]:
        def hook(_part: Any, args: Any, kwargs: Any, _out: Any) -> None:
            found[name] = args[0] if args else kwargs["hidden_states"]

        return hook

    def normalized(_part: Any, args: Any, _kwargs: Any, out: torch.Tensor) -> None:
        x = args[0].float()
        exact = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + text.config.rms_norm_eps)
        found["ln_final.hook_normalized"] = exact.to(out.dtype)

    watches = [
        (text.embed_tokens, output("hook_embed")),
        (text.norm, output("ln_final.hook_out")),
        (text.norm, normalized),
    ]
    for index, layer in enumerate(text.layers):
        at = f"blocks.{index}."
        sandwich = hasattr(layer, "pre_feedforward_layernorm")
        watches += [
            (layer, entering(f"{at}hook_resid_pre")),
            (layer, output(f"{at}hook_resid_post")),
            (layer.self_attn.o_proj, entering(f"{at}attn.hook_z")),
            (layer.post_attention_layernorm if sandwich else layer.self_attn, output(f"{at}hook_attn_out")),
            (
                layer.pre_feedforward_layernorm if sandwich else layer.post_attention_layernorm,
                entering(f"{at}hook_resid_mid"),
            ),
            (layer.mlp.down_proj, entering(f"{at}mlp.hook_post")),
            (layer.post_feedforward_layernorm if sandwich else layer.mlp, output(f"{at}hook_mlp_out")),
        ]
    return watches
