"""What a process that runs one command spares itself: a fifth of its work is to look after its own memory."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

GC_THRESHOLD = 50_000
"""New containers between two looks for garbage; imports make some 100,000 that stay."""


@contextmanager
def one_command() -> Iterator[None]:
    """Within the block, garbage is looked for rarely; after it, the process ends without being taken apart.

    Everything that waits for the end of a process still happens: threads are waited for, what was registered
    with `atexit` within the block is called, and output is written. An error that is no `SystemExit` ends the
    process as usual.
    """
    gc.set_threshold(GC_THRESHOLD, *gc.get_threshold()[1:])
    codes: list[int] = []
    atexit.register(_end, codes)  # before all others: it is called after them
    try:
        yield
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            codes.append(end.code or 0)
        raise


def _end(codes: list[int]) -> None:
    if not codes:
        return
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return  # Python says what is wrong
    os._exit(codes[0] & 0xFF)
