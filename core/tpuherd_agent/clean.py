"""`clean`: removes what old attempts left."""

from __future__ import annotations

import shutil

from tpuherd_agent import locks, processes
from tpuherd_agent.attempt import Attempt, existing
from tpuherd_agent.status import read_status


def clean(keep: int) -> list[str]:
    """Removes the folders of ended attempts but the last ones, and returns their ids.

    An attempt that was cleaned away could be started again: clean only what no controller will ask for.

    Args:
        keep: How many of the ended attempts to leave, the ones that ended last.
    """
    ended = sorted((a for a in existing() if read_status(a).ended), key=_age)
    return [attempt.identifier for attempt in ended[: len(ended) - keep] if _remove(attempt)]


def _age(attempt: Attempt) -> float:
    try:
        return attempt.exit.stat().st_mtime
    except FileNotFoundError:
        return attempt.records.stat().st_mtime


def _remove(attempt: Attempt) -> bool:
    """Removes it, unless something of it is alive."""
    try:
        with locks.locked(attempt.lock):
            if not read_status(attempt).ended or processes.descendants(attempt):
                return False
            shutil.rmtree(attempt.directory)
    except FileNotFoundError:
        return False  # another clean was faster
    return True
