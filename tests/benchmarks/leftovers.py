"""What a benchmark that was started in a folder has left behind."""

from __future__ import annotations

import time
from pathlib import Path


def left(folder):
    """Processes whose environment or command line names a folder of the benchmark."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            text = (process / "environ").read_bytes() + (process / "cmdline").read_bytes()
        except OSError:
            continue
        if f"{folder}/inner-".encode() in text:
            found.append((process.name, (process / "cmdline").read_bytes().replace(b"\0", b" ")))
    return found


def nothing_left(folder):
    """What was told to end may take a moment; then nothing of it is there."""
    deadline = time.monotonic() + 60
    while (found := left(folder)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not found
    assert not list(folder.glob("inner-*"))
