"""Which tensors of a checkpoint become which arrays of the parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..architecture import Architecture

HEADS = "heads"
"""A dimension of key heads, or of heads grouped by them: split over the mesh's `tensor`."""
INNER = "inner"
"""The width inside the MLP: split over `tensor`."""
WIDTH = "width"
"""The residual stream's width in a weight: split over `fsdp`."""
SPREAD = "spread"
"""The embedding table's width: split over both."""


@dataclass(frozen=True, slots=True)
class Part:
    """One tensor of the checkpoint.

    Attributes:
        name: Below the prefix of the checkpoint.
        shape: In the file.
        view: The same numbers with the dimensions that the array has.
    """

    name: str
    shape: tuple[int, ...]
    view: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One array of the parameters: parts, one after the other along `axis`.

    Attributes:
        parts: Where its numbers come from.
        axes: What each dimension means, for the mesh.
        axis: Along which the parts are joined.
    """

    parts: tuple[Part, ...]
    axes: tuple[str | None, ...]
    axis: int = 0

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the array."""
        joined = sum(part.view[self.axis] for part in self.parts)
        first = self.parts[0].view
        return (*first[: self.axis], joined, *first[self.axis + 1 :])


def embedding(of: Architecture) -> Leaf:
    """The table, [vocabulary, d_model]."""
    return _one("embed_tokens.weight", (of.vocabulary, of.width), (None, SPREAD))


def final_norm(of: Architecture) -> Leaf:
    """The last norm's weight, [d_model]."""
    return vector("norm.weight", of.width)


def block(of: Architecture, index: int) -> dict[str, Leaf]:
    """The arrays of one block, by our names; what an architecture does not have is not there.

    `qkv` is [kv_heads, group + 2, head_dim, d_model]: for each key head the queries that it serves, the key,
    the value. `out` is [d_model, heads, head_dim], `gate_up` [2, d_mlp, d_model], `down` [d_model, d_mlp].
    """
    at = f"layers.{index}."
    attention, mlp = f"{at}self_attn.", f"{at}mlp."
    found = {
        "attn_norm": vector(f"{at}input_layernorm.weight", of.width),
        "qkv": _qkv(of, attention, "weight", (of.width,), (WIDTH,)),
        "out": Leaf(
            parts=(
                Part(
                    f"{attention}o_proj.weight",
                    (of.width, of.heads * of.head_dim),
                    (of.width, of.heads, of.head_dim),
                ),
            ),
            axes=(WIDTH, HEADS, None),
        ),
        "gate_up": _gate_up(of, mlp, "weight", (of.width,), (WIDTH,)),
        "down": _one(f"{mlp}down_proj.weight", (of.width, of.inner), (WIDTH, INNER)),
    }
    return found | _norms(of, at) | _biases(of, attention, mlp)


def vector(name: str, length: int) -> Leaf:
    """A tensor of one dimension that every device has whole."""
    return _one(name, (length,), (None,))


def _norms(of: Architecture, at: str) -> dict[str, Leaf]:
    before_mlp = "pre_feedforward_layernorm" if of.sandwich else "post_attention_layernorm"
    found = {"mlp_norm": vector(f"{at}{before_mlp}.weight", of.width)}
    if of.sandwich:
        found["attn_out_norm"] = vector(f"{at}post_attention_layernorm.weight", of.width)
        found["mlp_out_norm"] = vector(f"{at}post_feedforward_layernorm.weight", of.width)
    if of.query_key_norm:
        found["q_norm"] = vector(f"{at}self_attn.q_norm.weight", of.head_dim)
        found["k_norm"] = vector(f"{at}self_attn.k_norm.weight", of.head_dim)
    return found


def _biases(of: Architecture, attention: str, mlp: str) -> dict[str, Leaf]:
    found: dict[str, Leaf] = {}
    if of.qkv_bias:
        found["qkv_bias"] = _qkv(of, attention, "bias", (), ())
    if of.output_bias:
        found["out_bias"] = vector(f"{attention}o_proj.bias", of.width)
    if of.mlp_bias:
        found["gate_up_bias"] = _gate_up(of, mlp, "bias", (), ())
        found["down_bias"] = vector(f"{mlp}down_proj.bias", of.width)
    return found


def _qkv(of: Architecture, at: str, what: str, rest: tuple[int, ...], axes: tuple[str | None, ...]) -> Leaf:
    def part(letter: str, each: int) -> Part:
        rows = of.kv_heads * each * of.head_dim
        return Part(f"{at}{letter}_proj.{what}", (rows, *rest), (of.kv_heads, each, of.head_dim, *rest))

    return Leaf(
        parts=(part("q", of.group), part("k", 1), part("v", 1)), axes=(HEADS, None, None, *axes), axis=1
    )


def _gate_up(
    of: Architecture, at: str, what: str, rest: tuple[int, ...], axes: tuple[str | None, ...]
) -> Leaf:
    shape = (of.inner, *rest)
    parts = tuple(Part(f"{at}{name}_proj.{what}", shape, (1, *shape)) for name in ("gate", "up"))
    return Leaf(parts=parts, axes=(None, INNER, *axes))


def _one(name: str, shape: tuple[int, ...], axes: tuple[str | None, ...]) -> Leaf:
    return Leaf(parts=(Part(name, shape, shape),), axes=axes)
