"""Waiting for something to change, without missing a change between a look and the wait."""

from __future__ import annotations

import threading
import time


class Changes:
    """Counts changes; whoever has seen a count can wait for the next one."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._count = 0

    @property
    def count(self) -> int:
        """How many changes there have been."""
        return self._count

    def tell(self) -> None:
        """Something has changed."""
        with self._condition:
            self._count += 1
            self._condition.notify_all()

    def wait_beyond(self, count: int, deadline: float) -> bool:
        """Wait for a change after `count`; False if `time.monotonic()` reached the deadline before."""
        with self._condition:
            while self._count == count:
                rest_s = deadline - time.monotonic()
                if rest_s <= 0:
                    return False
                self._condition.wait(min(rest_s, threading.TIMEOUT_MAX))
        return True
