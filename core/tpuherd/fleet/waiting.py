"""Waiting for the cloud, without a job that could be told."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from tpuherd.errors import ProvisionError

if TYPE_CHECKING:
    from collections.abc import Callable

    Note = Callable[[str], None]

T = TypeVar("T")

FIRST_POLL_S = 0.05
LONGEST_POLL_S = 10.0
NOTE_EVERY_S = 15.0


def wait_for(look: Callable[[], T | None], *, what: str, timeout_s: float, note: Note) -> T:
    """Look until there is an answer: often at first, then ever less often.

    Args:
        look: gives `None` as long as there is no answer.
        what: what is waited for.
        timeout_s: how long to wait.
        note: is told now and then how it goes.

    Raises:
        ProvisionError: there was none in time; what was asked of the cloud goes on.
    """
    began = noted = time.monotonic()
    pause_s = FIRST_POLL_S
    while (answer := look()) is None:
        now = time.monotonic()
        if now - began > timeout_s:
            raise ProvisionError(f"{what} took longer than {timeout_s:g} s; the cloud goes on with it")
        if now - noted > NOTE_EVERY_S:
            noted = now
            note(f"waiting for {what}, {now - began:.0f} s so far")
        time.sleep(pause_s)
        pause_s = min(pause_s * 1.3, LONGEST_POLL_S)
    return answer
