"""Counting the calls that a process really makes to the TPU API, retries and further pages included."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

import grpc


class CountedCalls(grpc.UnaryUnaryClientInterceptor):
    """Sits on every channel that is opened after `install`, below retries and paging."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def install(self) -> None:
        """Count from now on, for the rest of this process."""
        plain = grpc.insecure_channel
        grpc.insecure_channel = lambda target, *rest: grpc.intercept_channel(plain(target, *rest), self)

    def intercept_unary_unary(self, continuation: Any, details: Any, request: Any) -> Any:
        with self._lock:
            self._counts[details.method.rpartition("/")[2]] += 1
        return continuation(details, request)

    def take(self) -> dict[str, int]:
        """What was called since the last time, by method."""
        with self._lock:
            counts, self._counts = self._counts, Counter()
        return dict(sorted(counts.items()))
