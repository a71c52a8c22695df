"""Giving slices back while the cloud does not want to hear of it: they cost money until it does."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tpuherd.errors import ProvisionError

if TYPE_CHECKING:
    from tpuherd.engine.engine import Engine

PATIENCE_S = 900.0
"""How long it is tried again."""
LOCAL_PATIENCE_S = 20.0
"""The same at the end of a job whose cloud is on this machine: that one does not come back by itself."""
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
TRIES = 10
"""So often it is tried again at least."""


def give_back(engine: Engine, patience_s: float = PATIENCE_S) -> None:
    """Give back what the newest attempt holds, again and again.

    Raises:
        ProvisionError: the cloud still refused after `patience_s` seconds.
    """
    session, deadline, pause_s = engine.job.session, time.monotonic() + patience_s, FIRST_PAUSE_S
    while True:
        try:
            return engine.release()
        except ProvisionError as error:
            if time.monotonic() > deadline:
                raise
            session.note(f"not given back yet, trying again: {error}")
        session.sleep(pause_s)
        pause_s = min(2 * pause_s, patience_s / TRIES, LONGEST_PAUSE_S)


def patience_at_the_end_s(engine: Engine) -> float:
    """How long the end of a job is put off for it."""
    return LOCAL_PATIENCE_S if engine.job.cloud.tpu_endpoint else PATIENCE_S
