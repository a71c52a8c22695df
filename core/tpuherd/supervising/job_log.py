"""The log of a job that a background process drives, opened only while something is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class JobLog:
    """A text stream to the end of a file: a thousand jobs do not keep a thousand files open."""

    def __init__(self, path: Path) -> None:
        """Keep the path; the file comes with the first text."""
        self._path = path

    def write(self, text: str) -> int:
        """Append a text; raises `OSError` if the job's folder is gone."""
        with self._path.open("a", encoding="utf-8", errors="replace") as file:
            return file.write(text)

    def flush(self) -> None:
        """Nothing is kept back."""

    def isatty(self) -> bool:
        """It is a file."""
        return False
