"""Which jobs a supervisor drives: a pure function of their rows."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd.store.leases import is_gone, this_process
from tpuherd.store.records import JobState
from tpuherd.store.wishes import ENDINGS, PAUSES, RUN

if TYPE_CHECKING:
    from tpuherd.store.wishes import LiveJob

TO_DO = (RUN, *ENDINGS, *PAUSES)
"""Wishes that somebody has to carry out; jobs that are run stage by stage have none of them."""


def to_drive(job: LiveJob) -> bool:
    """True if a job is meant to go on, nobody drives it, and its files are on this machine."""
    return wants_somebody(job.state, job.wanted) and driver(job) is None and Path(job.directory).is_dir()


def driver(job: LiveJob) -> str | None:
    """Which other process drives a job: who has its lease, unless that is over, or they are dead."""
    holder = job.holder
    if holder is None or job.leased_until is None or job.leased_until < time.time():
        return None
    return None if holder == this_process() or is_gone(holder) else holder


def asker(job: LiveJob) -> str | None:
    """Who asks for the lease of a job, unless they are gone."""
    return None if job.asked_by is None or is_gone(job.asked_by) else job.asked_by


def wants_somebody(state: str, wanted: str) -> bool:
    """True if there is something to do about a job that has not ended."""
    return wanted in ENDINGS or (wanted in TO_DO and state != JobState.PAUSED.value)
