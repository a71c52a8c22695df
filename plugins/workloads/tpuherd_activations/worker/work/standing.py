"""How far a dataset is, whoever makes it, and what this process has done for it."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING

from ..output.finishing import committed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ..output.manifest import Manifest
    from ..places import Place

APART_S = 10.0
"""The manifests are listed so seldom while this process commits shards of its own."""


class Standing:
    """Counts the manifests that are there; several threads may tell of new ones."""

    def __init__(self, place: Place, total: int, report: Callable[[int, int], None]) -> None:
        self._place, self._total, self._report = place, total, report
        self._there, self._at = 0, 0.0
        self._lock = threading.Lock()

    def look(self) -> int:
        """How many shards are there, by a list of their manifests."""
        there = len(committed(self._place))
        with self._lock:
            self._there, self._at = there, time.monotonic()
        self._report(there, self._total)
        return there

    def one_more(self) -> None:
        """This process has committed a shard."""
        if time.monotonic() - self._at > APART_S:
            self.look()
            return
        with self._lock:
            self._there += 1
            there = self._there
        self._report(there, self._total)


class ProgressFile:
    """What the agent of this worker reads and tells: `progress.json` in the attempt's folder."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._values: dict[str, int] = {}
        self._counts: Counter[str] = Counter(documents=0, shards=0, tokens=0, uploaded_bytes=0)
        self._lock = threading.Lock()

    def standing(self, there: int, total: int) -> None:
        """So many shards of the dataset are there; who says so lives, also if others make the rest."""
        with self._lock:
            alive = self._values.get("alive", 0) + 1
            self._values = {"step": there, "total": total, "alive": alive}
            self._write()

    def committed(self, shard: Manifest) -> None:
        """This process has committed a shard."""
        with self._lock:
            self._counts.update(
                documents=shard.documents,
                shards=1,
                tokens=shard.tokens,
                uploaded_bytes=sum(file.size_bytes for file in shard.files.values()),
            )
            self._write()

    def _write(self) -> None:
        """Whole or not at all: the agent looks at any moment."""
        draft = self._path.with_suffix(".new")
        draft.write_text(json.dumps({**self._values, **self._counts}))
        draft.replace(self._path)
