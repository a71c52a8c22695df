"""Rows as one gets them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tpuherd_activations.worker.tensors import as_float32

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

Framework = Literal["numpy", "torch", "jax"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Some tokens.

    Attributes:
        activations: By hook [rows, ...]. torch and JAX get bfloat16 where that is stored, numpy, which does
            not have it, float32.
        token_ids: [rows], int32.
        document_ids: [rows], int64, of the input's documents, from 0.
        positions: [rows], int32, in the document, from 0.
        prompts: [rows], int32, which of the documents that a form made of one of the input, from 0.
    """

    activations: Mapping[str, Any]
    token_ids: NDArray[np.int32]
    document_ids: NDArray[np.int64]
    positions: NDArray[np.int32]
    prompts: NDArray[np.int32]


def converted(stored: NDArray[Any], kind: str, framework: Framework) -> Any:
    """Stored numbers as an array of a framework."""
    if framework == "torch":
        return _torch(stored, kind)
    if framework == "jax":
        return _jax(stored, kind)
    return as_float32(stored, kind) if kind == "BF16" else stored


def _torch(stored: NDArray[Any], kind: str) -> Any:
    torch = import_module("torch")
    if kind != "BF16":
        return torch.from_numpy(stored)
    return torch.from_numpy(stored.view(np.int16)).view(torch.bfloat16)


def _jax(stored: NDArray[Any], kind: str) -> Any:
    import jax.numpy as jnp

    return jnp.asarray(stored if kind != "BF16" else stored.view(jnp.bfloat16))
