"""The logs of an attempt that are kept here, line by line, also while they grow."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class GrowingLogs:
    """What comes to the logs of an attempt, each line once."""

    def __init__(self, attempt_directory: Path) -> None:
        """Keep the folder; it may not be there yet."""
        self._directory = attempt_directory
        self._read: dict[Path, int] = {}

    def new_lines(self) -> Iterator[tuple[str, str]]:
        """Worker and text of the lines that were completed since the last call."""
        for path in sorted(self._directory.glob("worker-*.log")):
            with path.open("rb") as file:
                file.seek(self._read.get(path, 0))
                for line in file:
                    if not line.endswith(b"\n"):
                        break
                    self._read[path] = self._read.get(path, 0) + len(line)
                    yield worker_of(path), line.decode(errors="replace").rstrip()


def all_lines(attempt_directory: Path) -> Iterator[tuple[str, str]]:
    """Worker and text of every line of an attempt that has ended."""
    for path in sorted(attempt_directory.glob("worker-*.log")):
        with path.open(errors="replace") as file:
            for line in file:
                yield worker_of(path), line.rstrip()


def worker_of(path: Path) -> str:
    """The worker's name, by the name of its log file."""
    return f"w{path.stem.rpartition('-')[2]}"
