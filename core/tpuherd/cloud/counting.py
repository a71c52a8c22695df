"""How often this process has called the TPU API."""

from __future__ import annotations

import threading
from collections import Counter

_lock = threading.Lock()
_calls: Counter[str] = Counter()


def count(method: str) -> None:
    """Note one call; repetitions of a call that was not answered, and further pages, are not counted."""
    with _lock:
        _calls[method] += 1


def calls() -> dict[str, int]:
    """All calls since this process began, by method."""
    with _lock:
        return dict(sorted(_calls.items()))
