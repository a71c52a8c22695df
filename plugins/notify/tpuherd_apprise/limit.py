"""No more than so many messages in an hour."""

from __future__ import annotations

from collections import deque

HOUR_S = 3600.0


class Limit:
    """Counts the messages about one job."""

    def __init__(self, most: int) -> None:
        """Keep how many there may be in an hour."""
        self._most = most
        self._sent: deque[float] = deque()
        self._left_out = 0

    def admit(self, now: float, *, in_any_case: bool) -> bool:
        """Say whether a message may be sent now, and count it.

        Args:
            now: in seconds, by a clock that does not go back.
            in_any_case: it is sent however many there were.
        """
        while self._sent and self._sent[0] <= now - HOUR_S:
            self._sent.popleft()
        if len(self._sent) >= self._most and not in_any_case:
            self._left_out += 1
            return False
        self._sent.append(now)
        return True

    def left_out(self) -> int:
        """How many were not admitted since this was asked last."""
        count, self._left_out = self._left_out, 0
        return count
