"""Things that happen later: one thread that runs them when they are due, one at a time."""

from __future__ import annotations

import heapq
import itertools
import threading
import traceback
from typing import TYPE_CHECKING

from tpuherd_emulator.clock import Clock

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future


class Scheduler:
    """Runs callbacks at their emulated time, holding a lock that requests hold too.

    So whatever changes the state of the cloud does it alone.
    """

    def __init__(self, clock: Clock | None = None) -> None:
        self.lock = threading.RLock()
        self.clock = clock or Clock()
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._more = threading.Condition()
        self._busy = 0
        """Work on workers that has not ended, and the callback that runs."""
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="scheduler", daemon=True)
        self._thread.start()

    def after(self, delay_s: float, callback: Callable[[], None]) -> None:
        """Run a callback once, `delay_s` emulated seconds from now; those due together keep their order."""
        with self._more:
            self._push(delay_s, callback)

    def when_done(self, future: Future[None], callback: Callable[[BaseException | None], None]) -> None:
        """Call back, with the error or None, when work on workers has ended; it takes real time."""
        with self._more:
            self._busy += 1
        future.add_done_callback(lambda done: self._worked(lambda: callback(done.exception())))

    def set_speed(self, speed: float) -> None:
        """Go on at another speed; 0 stops the clock."""
        with self._more:
            self.clock.set_speed(speed)
            self._more.notify_all()

    def tick(self, span_s: float) -> None:
        """Let emulated time pass at once, and return when all that was due in it has been done."""
        target = self.clock.now() + span_s
        while (moment := self._settled(target)) is not None:
            self._jump(moment)
        self._jump(target)
        self._settled(target)

    def stop(self) -> None:
        """Run nothing any more."""
        with self._more:
            self._stopped = True
            self._more.notify_all()

    def _push(self, delay_s: float, callback: Callable[[], None]) -> None:
        heapq.heappush(self._due, (self.clock.now() + delay_s, next(self._order), callback))
        self._more.notify_all()

    def _worked(self, callback: Callable[[], None]) -> None:
        with self._more:
            self._push(0, callback)
            self._busy -= 1

    def _jump(self, moment: float) -> None:
        with self._more:
            self.clock.advance_to(moment)
            self._more.notify_all()

    def _settled(self, target: float) -> float | None:
        """Wait until nothing is due or being done; return when the next thing is due, if until `target`."""
        with self._more:
            self._more.wait_for(lambda: self._stopped or self._is_quiet())
            later = self._due and not self._stopped and self._due[0][0] <= target
            return self._due[0][0] if later else None

    def _is_quiet(self) -> bool:
        return not self._busy and (not self._due or self._due[0][0] > self.clock.now())

    def _run(self) -> None:
        while (callback := self._next()) is not None:
            with self.lock:
                try:
                    callback()
                except Exception:  # noqa: BLE001 - one failed transition must not stop the clock for all others
                    traceback.print_exc()
            with self._more:
                self._busy -= 1
                self._more.notify_all()

    def _next(self) -> Callable[[], None] | None:
        with self._more:
            while not self._stopped:
                wait_s = self.clock.real_s(self._due[0][0]) if self._due else None
                if wait_s is not None and wait_s <= 0:
                    self._busy += 1
                    return heapq.heappop(self._due)[2]
                self._more.wait(wait_s)
        return None
