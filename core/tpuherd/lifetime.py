"""The end of a process that runs one command: it does not take apart what the system takes back anyway."""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def one_command() -> Iterator[None]:
    """After the block, the process ends without being taken apart, which would be a tenth of its work.

    Everything that waits for the end of a process still happens: threads are waited for, what was registered
    with `atexit` within the block is called, and output is written. An error that is no `SystemExit` ends the
    process as usual.
    """
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
