"""Code that runs from where it was sent: an editable install without an installation."""

from __future__ import annotations

import shlex
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from tpuherd.errors import ConfigError

if TYPE_CHECKING:
    from tpuherd.model.outcome import SyncedCode

CODE_VARIABLE = "TPUHERD_CODE"
"""For the workload: the folder of its own snapshot. Also how a worker knows that a snapshot is in use."""


def import_roots(root: Path, editable: bool | tuple[str, ...]) -> tuple[str, ...]:  # noqa: FBT001 - a job file's value
    """Folders of a snapshot from which Python is to import, relative to it.

    Args:
        root: the folder of which the snapshot was taken.
        editable: `code.editable`; true stands for the code's own folder.

    Raises:
        ConfigError: a folder is not there.
    """
    return tuple(_import_root(root, folder) for folder in editable_folders(editable))


def editable_folders(editable: bool | tuple[str, ...]) -> tuple[str, ...]:  # noqa: FBT001 - as above
    """The projects that `code.editable` means."""
    if isinstance(editable, bool):
        return (".",) if editable else ()
    return editable


def prelude(code: SyncedCode) -> str:
    """The beginning of a bash script: imports come from its snapshot, before all that is installed."""
    if not code.import_roots:
        return ""
    folders = ":".join(f'"${CODE_VARIABLE}"/{shlex.quote(root)}' for root in code.import_roots)
    return f'export PYTHONPATH={folders}"${{PYTHONPATH:+:$PYTHONPATH}}"; '


def _import_root(root: Path, folder: str) -> str:
    if not (root / folder).is_dir():
        raise ConfigError(f"code.editable: there is no folder {folder} in {root}")
    layouts = (PurePosixPath(folder) / "src", PurePosixPath(folder))
    return str(next(layout for layout in layouts if (root / layout).is_dir()))
