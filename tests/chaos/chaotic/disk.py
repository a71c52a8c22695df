"""The disk under the store: one of its own that can be full, where one may be mounted."""

from __future__ import annotations

import resource
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SIZE = "64m"
CHUNK = bytes(1 << 16)
LIMIT_BYTES = 1 << 12
"""Nothing of interest fits into this: the store's first page does."""


class Disk:
    """A tmpfs at `path`; where none may be mounted, an ordinary folder and limits of file sizes instead."""

    def __init__(self, path: Path) -> None:
        """Make it."""
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        options = ["-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(path)]
        done = subprocess.run(["mount", *options], capture_output=True)
        self.mounted = done.returncode == 0
        self._filler = path / "filler"

    def fill(self, pids: Iterable[int]) -> None:
        """Let nobody write any more.

        Args:
            pids: who is limited where there is no disk to fill.
        """
        if self.mounted:
            self._fill_up()
        else:
            _limit(pids, LIMIT_BYTES)

    def free(self, pids: Iterable[int]) -> None:
        """Let all write again."""
        self._filler.unlink(missing_ok=True)
        if not self.mounted:
            _limit(pids, resource.RLIM_INFINITY)

    def close(self) -> None:
        """Take it away."""
        if self.mounted:
            subprocess.run(["umount", "--lazy", str(self.path)], check=True)

    def _fill_up(self) -> None:
        with self._filler.open("ab", buffering=0) as file, suppress(OSError):
            while file.write(CHUNK):
                pass
        with self._filler.open("ab", buffering=0) as file, suppress(OSError):
            while file.write(b"\0"):
                pass


def _limit(pids: Iterable[int], soft: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
            wanted = hard if soft == resource.RLIM_INFINITY else soft
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (wanted, hard))
