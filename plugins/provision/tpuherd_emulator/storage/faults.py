"""Faults on demand: answers that the real service gives on a bad day."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What to do to the next matching requests instead of answering them.

    Attributes:
        status: HTTP status to answer with, for example 503 or 429; None resets the connection.
        times: How many requests it hits.
        method: Only requests with this HTTP method; empty is any.
        path_contains: Only requests whose path and query, as sent, contain this.
    """

    status: int | None = 503
    times: int = 1
    method: str = ""
    path_contains: str = ""

    @property
    def reason(self) -> str:
        """The API's word for the status."""
        return "rateLimitExceeded" if self.status == 429 else "backendError"

    def hits(self, method: str, target: str) -> bool:
        """Whether a request matches."""
        return self.method in ("", method) and self.path_contains in target


class Faults:
    """The faults that are still to come, the oldest first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[Fault] = []

    def add(self, fault: Fault) -> None:
        """Have a fault happen."""
        with self._lock:
            self._waiting.append(fault)

    def clear(self) -> None:
        """Let nothing happen any more."""
        with self._lock:
            self._waiting.clear()

    def take(self, method: str, target: str) -> Fault | None:
        """The fault that this request meets, if it meets one; it is used up by that."""
        with self._lock:
            for at, fault in enumerate(self._waiting):
                if fault.hits(method, target):
                    self._waiting[at : at + 1] = _used(fault)
                    return fault
        return None


def _used(fault: Fault) -> list[Fault]:
    return [replace(fault, times=fault.times - 1)] if fault.times > 1 else []
