"""The progress of an attempt in a small file: its controller writes it, and whoever looks at jobs reads it.

It is no part of the store: nothing is decided by it, and a step may come many times a second.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from tpuherd.monitoring.samples import Sample, sample

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tpuherd.model.sighting import Progress

APART_S = 1.0
"""Samples are so far apart at least."""
KEPT = 60
"""So many samples, the newest ones, are in the file."""


def progress_file(attempt_directory: Path) -> Path:
    """Where the progress of an attempt is, on this machine."""
    return attempt_directory / "progress.json"


def read_samples(path: Path) -> list[Sample]:
    """The samples of a file, oldest first; none if there is no such file, or it makes no sense."""
    try:
        return [Sample(**row) for row in json.loads(path.read_text())]
    except (OSError, ValueError, TypeError):
        return []


class ProgressWriter:
    """Writes the progress of one attempt; a controller that takes over goes on with the same file."""

    def __init__(self, path: Path) -> None:
        """Keep the name of the file; it is written with the first report."""
        self._path = path
        self._samples = read_samples(path)

    def note(self, reports: Iterable[Progress | None]) -> None:
        """Take what the workers report by now; call it as often as you like.

        A file that cannot be written (a full disk) is no trouble of the job.
        """
        new = sample(reports, time.time())
        if new is not None and not (self._samples and 0 <= new.at - self._samples[-1].at < APART_S):
            self._keep(new)

    def close(self, reports: Iterable[Progress | None]) -> None:
        """Take the last reports, however soon they come after others."""
        new = sample(reports, time.time())
        if new is not None:
            self._keep(new)

    def _keep(self, new: Sample) -> None:
        if self._samples and _same(new, self._samples[-1]):
            return
        self._samples = [*self._samples, new][-KEPT:]
        with suppress(OSError):
            self._write()

    def _write(self) -> None:
        """Whole or not at all, for readers that look at any moment."""
        draft = self._path.with_suffix(".tmp")
        draft.write_text(json.dumps([asdict(one) for one in self._samples]))
        draft.replace(self._path)


def _same(one: Sample, other: Sample) -> bool:
    return replace(one, at=other.at, checkpoint_at=other.checkpoint_at) == other
