"""A controller that goes on without a terminal."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd import paths
from tpuherd.store.leases import this_process

if TYPE_CHECKING:
    from tpuherd.store.records import JobRecord


def controller_log(record: JobRecord) -> Path:
    """Where a background controller writes what it would show."""
    return Path(record.directory) / "controller.log"


def supervisor_log() -> Path:
    """Where a supervisor that a command has started writes what it would show."""
    return paths.home() / "supervisor.log"


def start_background(*records: JobRecord) -> int:
    """Start what goes on with jobs, in a session of its own; returns its pid.

    It waits for the leases of whoever starts it, so the starter may still hold them and should exit soon, or
    hand them over. It leaves the jobs to the supervisor that runs, or becomes the supervisor.
    """
    return _start(supervisor_log(), "tpuherd.supervising", this_process(), *(record.id for record in records))


def start_command(record: JobRecord, *words: str) -> int:
    """Start `tpuherd WORDS JOB` in a session of its own; returns its pid."""
    return _start(controller_log(record), "tpuherd", *words, record.id)


def watch(record: JobRecord) -> int | None:
    """Start the process that gives back what a job keeps when its time is over; see `tpuherd.cleanup`.

    Returns:
        Its pid; `None` if the job may keep its slices for as long as it likes.
    """
    if record.ttl_s is None and record.idle_timeout_s is None:
        return None
    return _start(controller_log(record), "tpuherd.cleanup", record.id)


def _start(path: Path, module: str, *words: str) -> int:
    with path.open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", module, *words],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    return process.pid
