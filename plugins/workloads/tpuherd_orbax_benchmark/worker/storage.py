"""Paths on a disk or in object storage, with one interface."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import cast


def path_of(location: str) -> Path:
    """Return a path object for a local path or a URL such as `gs://bucket/folder`.

    URLs go through `etils.epath`, as in the harness, which offers the interface of `pathlib`.
    """
    if "://" not in location:
        return Path(location)
    return cast(Path, import_module("etils.epath").Path(location))
