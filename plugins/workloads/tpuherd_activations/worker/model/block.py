"""One block of the decoder, and all that it computes on the way, by the names of its hook points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp

from ..hooks import points
from .numerics import ACTIVATIONS, norm, product, rotated

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..architecture import Architecture

    Attend = Callable[[jax.Array, jax.Array, jax.Array], jax.Array]
    Parameters = Mapping[str, jax.Array]


def block(
    of: Architecture, attend: Attend, turns: tuple[jax.Array, jax.Array], parameters: Parameters, x: jax.Array
) -> dict[str, jax.Array]:
    """Compute everything; what nobody takes from the result is not computed once this is compiled.

    Args:
        of: The model.
        attend: Mixes values by queries and keys, see `attention.chunked` for the shapes.
        turns: Cosines and sines of the layer's rotary embedding, see `Rows`.
        parameters: Of the block, see `loading.leaves.block`.
        x: The residual stream, [rows, length, d_model].

    Returns:
        `attn.hook_z` [rows, length, heads, head_dim], `mlp.hook_post` [rows, length, d_mlp], the others
        [rows, length, d_model]; all of the type of `x`.
    """
    z = _mixed(of, attend, turns, parameters, x)
    attended = _out(
        of, parameters, "attn_out_norm", _biased(parameters, "out_bias", product(z, parameters["out"], 2))
    )
    middle = (x + attended).astype(x.dtype)
    inside = _inside(of, parameters, middle)
    added = _out(
        of, parameters, "mlp_out_norm", _biased(parameters, "down_bias", product(inside, parameters["down"]))
    )
    return {
        points.Z: z,
        points.ATTN_OUT: attended.astype(x.dtype),
        points.RESID_MID: middle,
        points.MLP_POST: inside,
        points.MLP_OUT: added.astype(x.dtype),
        points.RESID_POST: (middle + added).astype(x.dtype),
    }


def _mixed(
    of: Architecture, attend: Attend, turns: tuple[jax.Array, jax.Array], parameters: Parameters, x: jax.Array
) -> jax.Array:
    """The heads' results before they are joined, [rows, length, heads, head_dim]."""
    entering = norm(x, parameters["attn_norm"], of.epsilon, _offset(of)).astype(x.dtype)
    heads = _biased(
        parameters, "qkv_bias", product(entering, parameters["qkv"])
    )  # [rows, length, kv, group + 2, dim]
    queries, keys, values = jnp.split(heads, [of.group, of.group + 1], axis=3)
    if of.query_key_norm:
        queries = norm(queries, parameters["q_norm"], of.epsilon, _offset(of))
        keys = norm(keys, parameters["k_norm"], of.epsilon, _offset(of))
    turned = [rotated(some, *turns).astype(x.dtype) for some in (queries, keys)]
    found = attend(turned[0], turned[1][:, :, :, 0], values[:, :, :, 0].astype(x.dtype))
    return found.reshape(*x.shape[:2], of.heads, of.head_dim)


def _inside(of: Architecture, parameters: Parameters, x: jax.Array) -> jax.Array:
    """The MLP's own width: the gate times the other half, [rows, length, d_mlp]."""
    entering = norm(x, parameters["mlp_norm"], of.epsilon, _offset(of)).astype(x.dtype)
    both = _biased(parameters, "gate_up_bias", product(entering, parameters["gate_up"]))
    return (ACTIVATIONS[of.activation](both[:, :, 0]) * both[:, :, 1]).astype(x.dtype)


def _out(of: Architecture, parameters: Parameters, name: str, x: jax.Array) -> jax.Array:
    return norm(x, parameters[name], of.epsilon, _offset(of)) if of.sandwich else x


def _biased(parameters: Parameters, name: str, x: jax.Array) -> jax.Array:
    return x + parameters[name].astype(x.dtype) if name in parameters else x


def _offset(of: Architecture) -> float:
    return 1.0 if of.unit_offset else 0.0
