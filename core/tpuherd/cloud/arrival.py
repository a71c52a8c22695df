"""Waiting: for the API to deliver, and for workers to answer."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from tpuherd.errors import ProvisionError, RemoteError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd.model.allocation import Allocation
    from tpuherd.model.job import Job

T = TypeVar("T")

FIRST_POLL_S = 0.05
LONGEST_POLL_S = 10.0
NOTE_EVERY_S = 15.0


def poll(job: Job, look: Callable[[], T | None], *, what: str, timeout_s: float, setting: str = "") -> T:
    """Look until there is an answer: often at first, then ever less often.

    Args:
        job: whose session is told how it goes, and cancels.
        look: gives `None` as long as there is no answer.
        what: what is waited for.
        timeout_s: how long to wait.
        setting: the key of the job file that says so, if there is one.

    Raises:
        ProvisionError: there was none in time.
    """
    began = noted = time.monotonic()
    pause_s = FIRST_POLL_S
    while (answer := look()) is None:
        waited_s = time.monotonic() - began
        if waited_s > timeout_s:
            told = f" (`{setting}`)" if setting else ""
            raise ProvisionError(f"{what} took longer than {timeout_s:g} s{told}")
        if time.monotonic() - noted > NOTE_EVERY_S:
            noted = time.monotonic()
            job.session.note(f"waiting for {what}, {waited_s:.0f} s so far")
        job.session.sleep(pause_s)
        pause_s = min(pause_s * 1.3, LONGEST_POLL_S)
    return answer


def wait_for_workers(job: Job, allocation: Allocation) -> Allocation:
    """Wait until every worker answers over SSH: only then is a slice usable.

    Raises:
        ProvisionError: some did not answer in time; they are named.
    """
    try:
        job.session.workers(allocation, job.cloud.ssh).connect(job.spec.tpu.connect_timeout_s)
    except RemoteError as error:
        raise ProvisionError(f"{error}") from error
    return allocation
