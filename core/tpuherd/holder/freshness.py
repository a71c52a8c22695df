"""Whether the modules that a process has imported are still those on disk."""

from __future__ import annotations

import os
import sys
from importlib.resources import files as package_files
from pathlib import Path

THREADS = Path("/proc/self/task")


class Freshness:
    """The files of all modules of this process, ours, the plugins' and everybody's, as they are now."""

    def __init__(self, since_s: float) -> None:
        """Look at them.

        Args:
            since_s: when this process began to import, by the wall clock: what was changed since then may
                have been read before or after it.
        """
        files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
        # the agent's are read, not imported
        files |= {str(file) for file in package_files("tpuherd_agent").iterdir() if file.is_file()}
        self._stamps = {path: _stamp(path) for path in files if path}
        self.is_late = any(_changed_s(path) >= since_s for path in self._stamps)
        """True if something was changed, or linked to, while it was imported: it is to be imported again."""

    def lasts(self) -> bool:
        """True if a new process would import the same."""
        return not self.is_late and all(_stamp(path) == old for path, old in self._stamps.items())


def is_single_threaded() -> bool:
    """True if this process may fork: no thread, of Python or not, can hold a lock that nobody would open."""
    return len(list(THREADS.iterdir())) == 1


def inode(path: Path) -> int:
    """Which file has this name; 0: none has."""
    try:
        return path.stat().st_ino
    except OSError:
        return 0


def _stamp(path: str) -> tuple[int, int, int]:
    """Which file it is, when it was written, and its length: what Python goes by when it reads bytecode.

    Not `st_ctime`: each further environment that links to the same file of a library changes that.
    """
    try:
        found = os.stat(path)  # noqa: PTH116 - a thousand of them are asked for
    except OSError:
        return 0, 0, 0
    return found.st_ino, found.st_mtime_ns, found.st_size


def _changed_s(path: str) -> float:
    """When anything of a file was changed, which nobody can pretend."""
    try:
        return Path(path).stat().st_ctime
    except OSError:
        return 0.0
