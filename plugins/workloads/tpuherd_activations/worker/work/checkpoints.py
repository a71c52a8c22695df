"""Checkpoints of places, and what stands for their content."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import CheckpointError
from ..output.documents import digest
from ..places import open_place
from ..places.folder import Folder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ..places import Place

WEIGHTS = (".safetensors",)
OTHERS = (".json", ".jinja", ".model", ".txt")
"""Configuration and tokenizer."""


def fetched(address: str, scratch: Path) -> tuple[Path, str]:
    """A checkpoint's folder on this machine, and 16 digits that stand for all its files.

    Raises:
        CheckpointError: there is no `config.json`.
        PlaceError: a file did not arrive.
    """
    place = open_place(address)
    stands_for = fingerprint(place)
    return _folder(place, _names(place), scratch / "model"), stands_for


def fingerprint(place: Place) -> str:
    """16 digits that stand for all files of a checkpoint; raises as `fetched`."""
    identities = place.identities(_names(place))
    return digest({name: [found.size_bytes, found.crc32c] for name, found in identities.items()})


def _names(place: Place) -> list[str]:
    names = [name for name in place.names() if "/" not in name and name.endswith((*WEIGHTS, *OTHERS))]
    if "config.json" not in names:
        raise CheckpointError(f"{place.address}: there is no config.json; expected a checkpoint's folder")
    return names


def _folder(place: Place, names: Sequence[str], cache: Path) -> Path:
    if isinstance(place, Folder):
        return place.root
    for name in names:
        place.local(name, cache)
    return cache
