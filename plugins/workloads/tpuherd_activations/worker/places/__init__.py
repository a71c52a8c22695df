"""Where files lie: a folder, or a bucket; the same few calls for both."""

from .opening import open_place
from .place import Identity, Place

__all__ = ["Identity", "Place", "open_place"]
