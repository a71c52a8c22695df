"""The hook points of a decoder.

The names and their meaning are TransformerLens'. `hook_embed` is what enters the first block (Gemma's
embeddings are scaled already). `ln_final.hook_normalized` is the final RMS norm *before* its weight, as it is
there; the norm's whole result, `transformers`' last hidden state, is `ln_final.hook_out`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..architecture import Architecture

EMBED = "hook_embed"
RESID_PRE = "hook_resid_pre"
Z = "attn.hook_z"
ATTN_OUT = "hook_attn_out"
RESID_MID = "hook_resid_mid"
MLP_POST = "mlp.hook_post"
MLP_OUT = "hook_mlp_out"
RESID_POST = "hook_resid_post"
BLOCK = (RESID_PRE, Z, ATTN_OUT, RESID_MID, MLP_POST, MLP_OUT, RESID_POST)
"""The points of one block, in the order in which they are computed."""
NORMALIZED = "hook_normalized"
OUT = "hook_out"
FINAL = (NORMALIZED, OUT)
"""The points of the final norm."""


def block(index: int, point: str) -> str:
    """The name of a point of one block."""
    return f"blocks.{index}.{point}"


def final(point: str) -> str:
    """The name of a point of the final norm."""
    return f"ln_final.{point}"


def names(architecture: Architecture) -> list[str]:
    """All hook points, in the order in which they are computed."""
    blocks = [block(index, point) for index in range(len(architecture.layers)) for point in BLOCK]
    return [EMBED, *blocks, *(final(point) for point in FINAL)]


def shape(architecture: Architecture, name: str) -> tuple[int, ...]:
    """What one token has at a hook: [d_model], [heads, head_dim] for `z`, [d_mlp] for `mlp.hook_post`."""
    if name.endswith(Z):
        return (architecture.heads, architecture.head_dim)
    return (architecture.inner if name.endswith(MLP_POST) else architecture.width,)
