"""Tiny random checkpoints of every family, with odd shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import transformers

if TYPE_CHECKING:
    from pathlib import Path

SIZES = {
    "hidden_size": 48,
    "intermediate_size": 80,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "vocab_size": 97,
    "max_position_embeddings": 512,
    "head_dim": 20,  # not hidden_size / heads
}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}
LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}
GEMMA3_ROPES = {
    "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1_000_000.0},
    "sliding_attention": {"rope_type": "default", "rope_theta": 10_000.0},
}
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("Llama", {}),
    "llama-square": ("Llama", {"head_dim": 8, "tie_word_embeddings": True}),
    "llama-every-head-its-own-key": ("Llama", {"num_key_value_heads": 6}),
    "llama-biases": ("Llama", {"attention_bias": True, "mlp_bias": True}),
    "llama-linear": ("Llama", {"rope_parameters": {"rope_type": "linear", "factor": 4.0, "rope_theta": 5e5}}),
    "llama-llama3": ("Llama", {"rope_parameters": {**LLAMA3, "rope_theta": 5e5}}),
    "llama-dynamic": (
        "Llama",
        {"rope_parameters": {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 1e4}},
    ),
    "llama-yarn": ("Llama", {"rope_parameters": {**YARN, "rope_theta": 1e4}}),
    "llama-yarn-mscale": (
        "Llama",
        {
            "rope_parameters": {
                **YARN,
                "rope_theta": 1e4,
                "mscale": 1.2,
                "mscale_all_dim": 0.7,
                "truncate": False,
            }
        },
    ),
    "mistral": ("Mistral", {"sliding_window": 40}),
    "mistral-full": ("Mistral", {"sliding_window": None}),
    "qwen2": ("Qwen2", {"head_dim": 8, "rope_parameters": {"rope_type": "default", "rope_theta": 1e6}}),
    "qwen2-window": (
        "Qwen2",
        {"head_dim": 8, "use_sliding_window": True, "sliding_window": 33, "max_window_layers": 1},
    ),
    "qwen3": ("Qwen3", {"tie_word_embeddings": True}),
    "gemma2": ("Gemma2", {"sliding_window": 50, "attn_logit_softcapping": 3.0, "query_pre_attn_scalar": 30}),
    "gemma2-uncapped": ("Gemma2", {"sliding_window": 50, "attn_logit_softcapping": None}),
    "gemma3": (
        "Gemma3Text",
        {
            "sliding_window": 50,
            "query_pre_attn_scalar": 30,
            "rope_parameters": GEMMA3_ROPES,
            "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
        },
    ),
}
"""By name: the family's class in `transformers`, and what its configuration adds to `SIZES`."""


def make(name: str, folder: Path) -> Any:
    """Save a random checkpoint and return the model, float32, attention written out."""
    family, more = CASES[name]
    config = getattr(transformers, f"{family}Config")(**(SIZES | more))
    causal = getattr(transformers, f"{family.removesuffix('Text')}ForCausalLM")
    return saved(causal, config, folder)


def saved(kind: Any, config: Any, folder: Path) -> Any:
    """A model of a class with random weights, saved in a folder."""
    torch.manual_seed(0)
    model = kind._from_config(config, attn_implementation="eager").float().eval()
    shake(model)
    model.save_pretrained(folder)
    return model


def shake(model: Any) -> None:
    """Weights so large that a mistake shows, norms and biases that are not all the same."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            noise = torch.randn(weight.shape, generator=generator)
            if weight.ndim > 1 and "embed" not in name:
                weight.copy_(noise / weight.shape[-1] ** 0.5)
            else:
                weight.add_(noise * 0.3)
