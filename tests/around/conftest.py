"""One emulated cloud per module, and slices that its jobs share."""

from clouded import cloud, held

__all__ = ["cloud", "held"]
