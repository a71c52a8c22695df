"""Who works on which part: claims that expire when their holder is silent."""

from .claims import Claim, Claims, Holder

__all__ = ["Claim", "Claims", "Holder"]
