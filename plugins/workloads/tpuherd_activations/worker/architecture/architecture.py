"""The measures and choices by which the supported decoders differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .rope import Rope


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """What one block of a model may have for itself.

    Attributes:
        window: A token attends to this many tokens, itself included; to all before it if None.
        rope: Its rotary embedding.
    """

    window: int | None
    rope: Rope


@dataclass(frozen=True, slots=True, kw_only=True)
class Architecture:
    """A decoder without its weights; hashable, so that compiled programs can be kept by it.

    Attributes:
        family: `model_type` of `config.json`.
        vocabulary: Rows of the embedding table.
        width: Of the residual stream (`d_model`).
        inner: Width inside the MLP (`d_mlp`).
        heads: Query heads.
        kv_heads: Key and value heads; each serves `heads / kv_heads` query heads.
        head_dim: Width of one head; `heads * head_dim` need not be `width`.
        layers: The blocks, first to last.
        epsilon: Of every RMS norm.
        activation: Between the gate and the product: `silu`, `gelu`, `gelu_tanh` or `relu`.
        qkv_bias: Queries, keys and values have biases.
        output_bias: So has the projection out of the attention.
        mlp_bias: So have the three projections of the MLP.
        query_key_norm: Queries and keys go through an RMS norm per head, before the rotation.
        unit_offset: The weights of norms are stored minus one (Gemma).
        sandwich: What attention and MLP give goes through a norm, too, before it is added (Gemma).
        embedding_scale: Embeddings are multiplied by this.
        attention_scale: Scores are multiplied by this.
        soft_cap: Scores are kept within plus and minus this by tanh, if given.
    """

    family: str
    vocabulary: int
    width: int
    inner: int
    heads: int
    kv_heads: int
    head_dim: int
    layers: tuple[Layer, ...]
    epsilon: float
    activation: str
    qkv_bias: bool
    output_bias: bool
    mlp_bias: bool
    query_key_norm: bool
    unit_offset: bool
    sandwich: bool
    embedding_scale: float
    attention_scale: float
    soft_cap: float | None

    @property
    def group(self) -> int:
        """Query heads per key head."""
        return self.heads // self.kv_heads

    def parameters(self, blocks: int | None = None) -> int:
        """The numbers in the embedding table and the first `blocks` blocks (all if None), norms aside."""
        attention = 2 * self.width * self.head_dim * (self.heads + self.kv_heads)
        each = attention + 3 * self.width * self.inner
        return self.vocabulary * self.width + each * (len(self.layers) if blocks is None else blocks)
