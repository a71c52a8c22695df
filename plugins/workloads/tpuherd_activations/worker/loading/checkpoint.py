"""The files of a checkpoint: one safetensors file, or several with an index."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import CheckpointError
from .stored import Stored, header

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

INDEX = "model.safetensors.index.json"
SINGLE = "model.safetensors"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """All tensors of a checkpoint, by name; nothing but headers has been read.

    Attributes:
        folder: Where the files lie.
        tensors: Where each tensor lies.
    """

    folder: Path
    tensors: Mapping[str, Stored]

    def find(self, name: str, shape: tuple[int, ...]) -> Stored:
        """Look a tensor up.

        Raises:
            CheckpointError: it is missing, or has another shape.
        """
        if name not in self.tensors:
            raise CheckpointError(
                f"{self.folder}: no file has the tensor {name}, expected with shape {list(shape)}"
            )
        found = self.tensors[name]
        if found.shape != shape:
            raise CheckpointError(
                f"{found.file}: {name}: expected shape {list(shape)} by config.json, got {list(found.shape)}"
            )
        return found


def open_checkpoint(folder: Path) -> Checkpoint:
    """Find the files and read their headers.

    Raises:
        CheckpointError: there are none, one that the index names is missing, or one is damaged.
    """
    tensors: dict[str, Stored] = {}
    for file in _files(folder):
        tensors |= header(file)
    return Checkpoint(folder, tensors)


def _files(folder: Path) -> list[Path]:
    index = folder / INDEX
    if index.exists():
        return _indexed(index)
    single = folder / SINGLE
    found = [single] if single.exists() else sorted(folder.glob("*.safetensors"))
    if not found:
        pickled = any(folder.glob("*.bin")) or any(folder.glob("*.pt*"))
        why = (
            " (pickled weights are not read: they can run code; save the model as safetensors)"
            if pickled
            else ""
        )
        raise CheckpointError(f"{folder}: no *.safetensors files{why}")
    return found


def _indexed(index: Path) -> list[Path]:
    try:
        names = sorted(set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()))
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise CheckpointError(
            f"{index}: cannot be read as an index of safetensors files: {error!r}"
        ) from error
    files = [index.parent / str(name) for name in names]
    for file in files:
        if not file.exists():
            raise CheckpointError(f"{file}: no such file, though {index.name} names it; download it again")
    return files
