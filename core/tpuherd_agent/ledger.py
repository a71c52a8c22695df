"""Records that must reach the disk, however long that takes."""

from __future__ import annotations

import threading

from tpuherd_agent.files import write_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


class Ledger:
    """Keeps what could not be written (a full disk) and tries again at each `flush`.

    Attributes:
        problem: Why something is unwritten; empty if all is on disk.
    """

    def __init__(self) -> None:
        self.problem = ""
        self._unwritten: dict[Path, dict[str, object]] = {}
        self._lock = threading.Lock()

    def put(self, path: Path, record: dict[str, object]) -> None:
        """Writes a record, now or later; from any thread."""
        with self._lock:
            self._unwritten[path] = record
        self.flush()

    def flush(self) -> bool:
        """Writes what is unwritten; returns True if nothing is left."""
        with self._lock:
            self.problem = ""
            for path in list(self._unwritten):
                self._write(path)
            return not self._unwritten

    def _write(self, path: Path) -> None:
        try:
            write_record(path, self._unwritten[path])
        except OSError as error:
            self.problem = f"cannot write {path.name}: {error.strerror}"
        else:
            del self._unwritten[path]
