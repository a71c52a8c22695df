"""The file that `lifecycle.status` reads: written often enough, not at every change."""

from __future__ import annotations

import json
import threading
import time
from typing import TYPE_CHECKING

from tpuherd_emulator.files import write_private

if TYPE_CHECKING:
    from pathlib import Path
    from threading import RLock

    from tpuherd_emulator.api.nodes import Nodes

PAUSE_S = 0.05
"""Changes within this time are written together, unless somebody asks before."""


class StateFile:
    """Knows whether the file is behind. 256 slices change some thousand times while they are created."""

    def __init__(self, path: Path, lock: RLock, nodes: Nodes) -> None:
        """Write the file for the first time.

        Args:
            path: The file.
            lock: Held while the rows are made and written.
            nodes: What it is about.
        """
        self._path = path
        self._lock = lock
        self._nodes = nodes
        self._behind = threading.Event()
        self._behind.set()
        self.catch_up()
        threading.Thread(target=self._follow, name="state", daemon=True).start()

    def changed(self) -> None:
        """Note that the file is behind; it is written soon."""
        self._behind.set()

    def catch_up(self) -> None:
        """Write the file now if it is behind: whoever has an answer of the API finds its effect there."""
        with self._lock:  # somebody else may be writing at this moment
            if self._behind.is_set():
                self._behind.clear()
                write_private(self._path, json.dumps(_rows(self._nodes)))

    def _follow(self) -> None:
        while self._behind.wait():
            time.sleep(PAUSE_S)
            self.catch_up()


def _rows(nodes: Nodes) -> list[list[object]]:
    """What `lifecycle.status` takes apart."""
    return [
        [node.node_id, node.zone, node.accelerator.name, node.state, len(node.machines)]
        for node in nodes.all()
    ]
