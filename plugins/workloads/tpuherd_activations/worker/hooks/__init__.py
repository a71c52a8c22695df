"""What a model can be asked for, by TransformerLens' names; no JAX in here."""

from .choosing import choose
from .points import names, shape
from .taps import Taps

__all__ = ["Taps", "choose", "names", "shape"]
