"""Safetensors files that are written in any order and read where they lie; numpy only."""

from .numbers import KINDS, SIZES, as_float32, as_kind
from .reading import tensor, tensor_names, tensors
from .writing import TensorFile

__all__ = ["KINDS", "SIZES", "TensorFile", "as_float32", "as_kind", "tensor", "tensor_names", "tensors"]
