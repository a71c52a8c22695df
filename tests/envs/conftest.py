"""One emulated cloud per module, and slices that its jobs share."""

from clouded import cloud, held
from containers import podman

__all__ = ["cloud", "held", "podman"]
