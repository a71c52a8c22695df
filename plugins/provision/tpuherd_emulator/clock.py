"""The time of an emulated cloud: real time at some speed, or one that only moves when it is told to."""

from __future__ import annotations

import threading
import time

MANUAL_SPEED = 0.0
"""At this speed time stands still until it is moved."""


class Clock:
    """Emulated seconds, from the start of the cloud. May be used from any thread."""

    def __init__(self, speed: float = 1.0) -> None:
        """Start the clock.

        Args:
            speed: Emulated seconds per real second; 0 stands still.
        """
        self._lock = threading.Lock()
        self._speed = speed
        self._began = time.time()
        self._passed_s = 0.0
        self._since = time.monotonic()

    @property
    def speed(self) -> float:
        """Emulated seconds per real second."""
        return self._speed

    def now(self) -> float:
        """Emulated seconds since the cloud was started."""
        with self._lock:
            return self._now()

    def time(self) -> float:
        """The emulated time of day, as Unix time in seconds."""
        return self._began + self.now()

    def stamp(self, timestamp: object) -> None:
        """Set a protobuf `Timestamp` to the emulated time of day."""
        timestamp.FromNanoseconds(round(self.time() * 1e9))  # type: ignore[attr-defined]

    def set_speed(self, speed: float) -> None:
        """Go on at another speed from now."""
        with self._lock:
            self._passed_s, self._since = self._now(), time.monotonic()
            self._speed = speed

    def advance_to(self, moment: float) -> None:
        """Jump forward to a time of this clock; one that has passed changes nothing."""
        with self._lock:
            self._passed_s, self._since = max(moment, self._now()), time.monotonic()

    def real_s(self, moment: float) -> float | None:
        """Real seconds until a time of this clock; `None` if it stands still before that."""
        missing_s = moment - self.now()
        if missing_s <= 0:
            return 0.0
        return missing_s / self._speed if self._speed > 0 else None

    def _now(self) -> float:
        return self._passed_s + (time.monotonic() - self._since) * self._speed
