"""When the workers of an attempt were heard last, in a small file beside its progress."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

APART_S = 5.0
"""So seldom it is written."""


def heard_file(attempt_directory: Path) -> Path:
    """Where it is, on this machine."""
    return attempt_directory / "heard"


def read_heard(path: Path) -> float | None:
    """The last sign of life of the worker that is silent for longest; `None`: not known."""
    try:
        return float(path.read_text())
    except (OSError, ValueError):
        return None


class HeardWriter:
    """Writes it for one attempt."""

    def __init__(self, path: Path) -> None:
        """Keep the name of the file."""
        self._path = path
        self._due = float("-inf")

    def note(self, moments: Iterable[float | None]) -> None:
        """Take when each worker was heard last; call it as often as you like.

        A file that cannot be written (a full disk) is no trouble of the job.
        """
        if time.monotonic() < self._due:
            return
        self._due = time.monotonic() + APART_S
        known = [moment for moment in moments if moment is not None]
        if known:
            with suppress(OSError):
                self._write(min(known))

    def _write(self, moment: float) -> None:
        """Whole or not at all, for readers that look at any moment."""
        draft = self._path.with_suffix(".tmp")
        draft.write_text(repr(moment))
        draft.replace(self._path)
