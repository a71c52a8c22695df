"""What a decoder is made of, read from a Hugging Face `config.json`; no JAX in here."""

from .architecture import Architecture
from .reading import read

__all__ = ["Architecture", "read"]
