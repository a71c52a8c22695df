"""A program that has the terminal for itself."""

from __future__ import annotations

import signal
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def in_foreground(argv: Sequence[str]) -> int:
    """Run a program to its end; Ctrl-C is for it alone. Returns its exit code.

    A handler, other than ignoring, is not inherited: the program has its own way with the signal.
    """
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        return subprocess.call(argv)
    finally:
        signal.signal(signal.SIGINT, before)
