"""Ctrl-C, SIGTERM and a closed terminal: cancel the job, or leave it to go on."""

from __future__ import annotations

import signal
import sys
from enum import Enum
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType


class OnInterrupt(Enum):
    """What an interruption means."""

    ASK = "ask"
    """Ask, if there is somebody to ask; else cancel."""
    CANCEL = "cancel"
    DETACH = "detach"


QUESTION = "\nCancel the job, or detach and let it go on? [c]ancel / [d]etach (Ctrl-C again detaches): "


class Interrupts:
    """Turns signals into a call of `cancel` or `detach` while it is active; only in the main thread."""

    def __init__(self, policy: OnInterrupt, cancel: Callable[[], None], detach: Callable[[], None]) -> None:
        """Keep the policy and what to call."""
        self._policy = policy
        self._cancel = cancel
        self._detach = detach
        self._interrupted = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        """Take the signals over."""
        for number, handler in (
            (signal.SIGINT, self._on_interrupt),
            (signal.SIGTERM, self._on_interrupt),
            (signal.SIGHUP, self._on_hangup),
        ):
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # as nohup wants it
                self._before[number] = signal.signal(number, handler)
        return self

    def __exit__(self, *_: object) -> None:
        """Give the signals back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _on_interrupt(self, _number: int, _frame: FrameType | None) -> None:
        """The second time, whatever the first one led to, leave at once."""
        if self._interrupted:
            self._detach()
        self._interrupted = True
        if self._answer() is OnInterrupt.CANCEL:
            self._cancel()
        else:
            self._detach()

    def _on_hangup(self, _number: int, _frame: FrameType | None) -> None:
        self._detach()

    def _answer(self) -> OnInterrupt:
        if self._policy is not OnInterrupt.ASK:
            return self._policy
        if not sys.stdin.isatty():
            return OnInterrupt.CANCEL
        return OnInterrupt.CANCEL if _ask() else OnInterrupt.DETACH


def _ask() -> bool:
    """True for cancel; end of input detaches, which loses nothing."""
    while True:
        sys.stderr.write(QUESTION)
        sys.stderr.flush()
        answer = sys.stdin.readline().strip().lower()
        if answer in {"c", "cancel"}:
            return True
        if answer in {"d", "detach", ""}:
            return False
