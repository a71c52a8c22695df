"""A controller that goes on without a terminal."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuherd.store.records import JobRecord


def controller_log(record: JobRecord) -> Path:
    """Where a background controller writes what it would show."""
    return Path(record.directory) / "controller.log"


RESUME = ("resume", "--on-interrupt", "detach")
CANCEL = ("cancel",)


def start_background(record: JobRecord, words: tuple[str, ...] = RESUME) -> int:
    """Start `tpuherd resume JOB`, or `cancel`, in a session of its own; returns its pid.

    It waits for the lease of whoever starts it, so the starter may still hold it and should exit soon.
    """
    return _start(record, "tpuherd", *words, record.id)


def watch(record: JobRecord) -> int | None:
    """Start the process that gives back what a job keeps when its time is over; see `tpuherd.cleanup`.

    Returns:
        Its pid; `None` if the job may keep its slices for as long as it likes.
    """
    if record.ttl_s is None and record.idle_timeout_s is None:
        return None
    return _start(record, "tpuherd.cleanup", record.id)


def _start(record: JobRecord, module: str, *words: str) -> int:
    with controller_log(record).open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", module, *words],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    return process.pid
