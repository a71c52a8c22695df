"""The faults that are armed, and who is struck by them."""

from __future__ import annotations

import itertools
import random
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd_emulator.faults.fault import Fault, Subject


class Injector:
    """Asked at each point where something can go wrong. May be used from any thread."""

    def __init__(self, seed: int | None = None) -> None:
        """Start without faults.

        Args:
            seed: Of the random numbers that rates are drawn with; `None`: different each time.
        """
        self._lock = threading.Lock()
        self._armed: list[Fault] = []
        self._ids = itertools.count(1)
        self._random = random.Random(seed)  # noqa: S311 - chance, not secrets
        self._cleared = threading.Condition(self._lock)
        self._clearings = 0
        self.changed: Callable[[], None] = lambda: None
        """Called when faults were armed or cleared: what waits may go on."""

    def arm(self, fault: Fault) -> Fault:
        """Let a fault strike from now on; returns it with its number."""
        with self._lock:
            armed = replace(fault, id=next(self._ids))
            self._armed.append(armed)
        self.changed()
        return armed

    def armed(self) -> tuple[Fault, ...]:
        """The faults that can still strike, the oldest first; `count` is what is left."""
        with self._lock:
            return tuple(self._armed)

    def clear(self, kind: str = "") -> int:
        """Forget the faults of one kind, or all; returns how many."""
        with self._lock:
            kept = [fault for fault in self._armed if kind and fault.kind != kind]
            cleared = len(self._armed) - len(kept)
            self._armed[:] = kept
            self._clearings += 1
            self._cleared.notify_all()
        self.changed()
        return cleared

    def take(self, subject: Subject, *kinds: str) -> Fault | None:
        """Return the oldest fault of these kinds that strikes a subject; its count goes down."""
        if not self._armed:  # most clouds have none: calls and nodes pay nothing for it
            return None
        with self._lock:
            found = next((fault for fault in self._armed if self._strikes(fault, subject, kinds)), None)
            if found is not None:
                self._use(found)
            return found

    def wait_cleared(self, timeout_s: float) -> None:
        """Wait until somebody clears faults, or for some real seconds."""
        with self._lock:
            before = self._clearings
            self._cleared.wait_for(lambda: self._clearings > before, timeout_s)

    def delay_s(self, least_s: float, most_s: float) -> float:
        """Draw a time span."""
        with self._lock:
            return self._random.uniform(least_s, most_s)

    def _strikes(self, fault: Fault, subject: Subject, kinds: tuple[str, ...]) -> bool:
        if fault.kind not in kinds or not fault.matches(subject):
            return False
        return fault.rate >= 1 or self._random.random() < fault.rate

    def _use(self, fault: Fault) -> None:
        if fault.count is None:
            return
        at = self._armed.index(fault)
        self._armed[at : at + 1] = [replace(fault, count=fault.count - 1)] if fault.count > 1 else []
