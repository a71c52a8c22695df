"""What each worker had last, so that the first thing that it is sent is what it lacks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

UNKNOWN = "unknown"


class Memory:
    """A file in the job's folder. It may be wrong or lost: the worker has the last word."""

    def __init__(self, folder: Path, incarnation: str) -> None:
        """Keep the job's folder, and the incarnation of the allocation that this is about."""
        self._path = folder / "code-on-workers.json"
        self._incarnation = incarnation

    def recall(self, worker: int) -> str:
        """The snapshot from which a worker of this incarnation makes the next one, or `UNKNOWN`."""
        try:
            kept = json.loads(self._path.read_bytes())
            return str(kept["workers"][str(worker)]) if kept["incarnation"] == self._incarnation else UNKNOWN
        except (OSError, ValueError, KeyError, TypeError):
            return UNKNOWN

    def keep(self, snapshots: Mapping[int, str]) -> None:
        """Remember what each worker makes the next one from."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._path.with_suffix(".new")
        fresh.write_text(json.dumps({"incarnation": self._incarnation, "workers": dict(snapshots)}))
        fresh.replace(self._path)
