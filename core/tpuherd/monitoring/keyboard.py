"""Single keys from a terminal."""

from __future__ import annotations

import os
import select
import termios
import tty
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType

NAMES = {
    "\x1b[A": "up",
    "\x1b[B": "down",
    "\x1bOA": "up",
    "\x1bOB": "down",
    "\r": "enter",
    "\n": "enter",
    "\x1b": "escape",
}
"""What a terminal sends for keys that are no letters."""


class Keyboard:
    """A terminal whose keys come one by one while it is entered; Ctrl-C still interrupts."""

    def __init__(self, fd: int) -> None:
        """Keep the terminal's file descriptor."""
        self._fd = fd
        self._before: list[object] = []

    def __enter__(self) -> Self:
        """Take single keys, and echo none."""
        self._before = termios.tcgetattr(self._fd)
        tty.setcbreak(self._fd)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the terminal as it was."""
        termios.tcsetattr(self._fd, termios.TCSADRAIN, self._before)  # type: ignore[arg-type]

    def key(self, timeout_s: float) -> str:
        """The next key: a character, or one of the names of `NAMES`; empty if none came in time.

        Raises:
            EOFError: the terminal was closed.
        """
        if not select.select([self._fd], [], [], timeout_s)[0]:
            return ""
        text = self._read(1)
        if text == "\x1b" and select.select([self._fd], [], [], 0.05)[0]:
            text += self._read(2)
        return NAMES.get(text, text)

    def _read(self, count: int) -> str:
        data = os.read(self._fd, count)
        if not data:
            raise EOFError
        return data.decode(errors="replace")
