"""Datasets in the formats of others."""

from tpuherd_activations.exporting.huggingface import to_huggingface
from tpuherd_activations.exporting.npy import to_npy

__all__ = ["to_huggingface", "to_npy"]
