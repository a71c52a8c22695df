"""Looking again and again until there is an answer."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from tpuherd.errors import ProvisionError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd.model.job import Job

T = TypeVar("T")

FIRST_POLL_S = 0.05
LONGEST_POLL_S = 10.0
NOTE_EVERY_S = 15.0


def poll(job: Job, look: Callable[[], T | None], *, what: str, timeout_s: float) -> T:
    """Look until there is an answer: often at first, then ever less often.

    Args:
        job: whose session is told how it goes, and cancels.
        look: gives `None` as long as there is no answer.
        what: what is waited for.
        timeout_s: how long to wait.

    Raises:
        ProvisionError: there was none in time.
    """
    began = noted = time.monotonic()
    pause_s = FIRST_POLL_S
    while (answer := look()) is None:
        waited_s = time.monotonic() - began
        if waited_s > timeout_s:
            raise ProvisionError(f"{what} took longer than {timeout_s:g} s")
        if time.monotonic() - noted > NOTE_EVERY_S:
            noted = time.monotonic()
            job.session.note(f"waiting for {what}, {waited_s:.0f} s so far")
        job.session.sleep(pause_s)
        pause_s = min(pause_s * 1.3, LONGEST_POLL_S)
    return answer
