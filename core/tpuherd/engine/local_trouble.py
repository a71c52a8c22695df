"""Trouble of this machine, which is none of a job: a full disk, a store that cannot be written."""

from __future__ import annotations

import errno
import time
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from tpuherd.errors import Cancelled, LocalError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd.engine.session import Session
    from tpuherd.store.store import Store

T = TypeVar("T")

OF_THE_DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS})
"""What the system says if nothing more can be written."""
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0


def is_of_the_disk(error: BaseException) -> bool:
    """True if this machine's disk does not take what is written."""
    return isinstance(error, OSError) and error.errno in OF_THE_DISK


def raise_if_local(error: BaseException) -> None:
    """Raise `LocalError` for an error that says nothing about the job; return for any other."""
    if isinstance(error, LocalError):
        raise error
    if is_of_the_disk(error):
        raise LocalError(f"this machine cannot write: {error}; make room on that disk") from error


def enduring(session: Session, store: Store, job_id: str, work: Callable[[], T]) -> T:
    """Do some work on a job; if it ends with trouble of this machine, wait until that is over: do it again.

    The work has to be one that a new controller could do: it goes on where the store says.

    Args:
        session: is told what is waited for.
        store: has the job.
        job_id: the job, whose lease we hold.
        work: what to do.

    Raises:
        Left: another process drives the job by now.
    """
    pause_s = FIRST_PAUSE_S
    while True:
        try:
            return work()
        except LocalError as error:
            session.note(f"waiting; what runs on the workers goes on: {error}")
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
        _wait_for(store, job_id)
        with suppress(Cancelled):  # that is what the work itself has to hear
            session.checkpoint()


def _wait_for(store: Store, job_id: str) -> None:
    """Until the store can be written again."""
    while True:
        with suppress(LocalError):
            store.leases.renew(job_id)
            return
        time.sleep(FIRST_PAUSE_S)
