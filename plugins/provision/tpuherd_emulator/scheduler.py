"""Things that happen later: one thread that runs them when they are due, one at a time."""

from __future__ import annotations

import heapq
import itertools
import threading
import time
import traceback
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Scheduler:
    """Runs callbacks at their time, holding a lock that requests hold too.

    So whatever changes the state of the cloud does it alone.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._more = threading.Condition()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="scheduler", daemon=True)
        self._thread.start()

    def after(self, delay_s: float, callback: Callable[[], None]) -> None:
        """Run a callback once, `delay_s` from now; callbacks due at the same time keep their order."""
        with self._more:
            heapq.heappush(self._due, (time.monotonic() + delay_s, next(self._order), callback))
            self._more.notify()

    def stop(self) -> None:
        """Run nothing any more."""
        with self._more:
            self._stopped = True
            self._more.notify()

    def _run(self) -> None:
        while (callback := self._next()) is not None:
            with self.lock:
                try:
                    callback()
                except Exception:  # noqa: BLE001 - one failed transition must not stop the clock for all others
                    traceback.print_exc()

    def _next(self) -> Callable[[], None] | None:
        with self._more:
            while not self._stopped:
                wait_s = self._due[0][0] - time.monotonic() if self._due else None
                if wait_s is not None and wait_s <= 0:
                    return heapq.heappop(self._due)[2]
                self._more.wait(wait_s)
        return None
