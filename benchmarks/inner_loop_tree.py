"""The code that is edited and sent: a git working tree, and where it is pushed to."""

from __future__ import annotations

import random
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

IDENTITY = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
EDITED = "d1/edited.txt"
BYTES, FOLDERS = 2800, 80


class Tree:
    """Files of random text that compresses to half, as code may, in a repository of their own."""

    def __init__(self, folder: Path, origin: Path, files: int) -> None:
        self.folder = folder
        self.origin = origin
        self._edits = 0
        noise = random.Random(1)
        for number in range(files):
            path = folder / f"d{number % FOLDERS}" / f"f{number}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(noise.randbytes(BYTES).hex().encode())
        self.edit()
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", origin], check=True)
        self._git("init", "-q", "-b", "main")
        self.push()

    def edit(self) -> str:
        """Change one file; returns a line of it that was in no file before."""
        self._edits += 1
        line = f"edit-{self._edits:04}"
        path = self.folder / EDITED
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{line}\n")
        return line

    def push(self) -> None:
        """Commit all and push it, as whoever fetches on workers has to."""
        self._git("add", "-A")
        self._git("commit", "-q", "--allow-empty", "-m", "edit")
        self._git("push", "-q", str(self.origin), "HEAD:main")

    def _git(self, *words: str) -> None:
        subprocess.run(["git", "-C", self.folder, *IDENTITY, *words], check=True, capture_output=True)
