"""The workers' clocks beside this machine's, compared in a round trip that is made anyway."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tpuherd.errors import LocalError, PrepareError
from tpuherd.solving.checks import CLOCK_S

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tpuherd.model.allocation import Worker
    from tpuherd.model.job import Job

MARK = "#clock "
"""How the line begins with which a worker says the time, before it does anything."""


class Clocks:
    """What the workers said, and when it was heard."""

    def __init__(self) -> None:
        """Begin: workers are asked from now on."""
        self._asked_at = time.time()
        self._off_s: dict[str, float] = {}

    def hear(self, worker: Worker, line: str) -> None:
        """Take in a line of a worker; lines that say no time are left alone.

        The worker spoke after it was asked and before it was heard, so a slow answer is no wrong clock.
        """
        if not line.startswith(MARK):
            return
        told_at = _seconds(line.removeprefix(MARK))
        if told_at is None:
            return
        ahead_s, behind_s = told_at - time.time(), self._asked_at - told_at
        if max(ahead_s, behind_s) > CLOCK_S:
            self._off_s[worker.name] = ahead_s if ahead_s > 0 else -behind_s

    def check(self, job: Job, workers: int) -> None:
        """Tell about clocks that are off.

        Args:
            job: whose `environment.clock_off_s` says how far off is too far.
            workers: how many there are.

        Raises:
            LocalError: several workers agree on another time: it is the clock here that is too far off.
            PrepareError: one is too far off.
        """
        limit_s = job.spec.environment.clock_off_s
        if not self._off_s:
            return
        if len(self._off_s) == workers > 1 and self._agree(limit_s):
            raise LocalError(_told_of_here(next(iter(self._off_s.values())), workers))
        told = _told(self._off_s, everybody=len(self._off_s) == workers)
        if max(map(abs, self._off_s.values())) > limit_s:
            raise PrepareError(
                f"{told} (environment.clock_off_s: {limit_s:g}). TLS certificates and access tokens count as "
                "expired or not yet valid there, and logs are merged in a wrong order. `timedatectl` on the "
                "worker shows its clock, `sudo chronyc makestep` sets it"
            )
        job.session.reporter.problem(f"{told}: logs are merged in a wrong order")

    def _agree(self, limit_s: float) -> bool:
        """True if all that are off are so by about the same time, and by too much."""
        least, most = min(self._off_s.values()), max(self._off_s.values())
        return most - least <= CLOCK_S and min(abs(least), abs(most)) > limit_s


def _seconds(text: str) -> float | None:
    """`None`: not every system's `date` knows fractions of seconds."""
    try:
        return float(text)
    except ValueError:
        return None


def _told_of_here(off_s: float, workers: int) -> str:
    how = "behind" if off_s > 0 else "ahead of"
    return (
        f"the clock of this machine is {abs(off_s):.0f} s {how} those of all {workers} workers, which agree: "
        "set it (`timedatectl` shows it); the slices are kept meanwhile"
    )


def _told(off_s: Mapping[str, float], *, everybody: bool) -> str:
    named = ", ".join(
        f"{worker} is {abs(off):.0f} s {'ahead of' if off > 0 else 'behind'} this machine"
        for worker, off in sorted(off_s.items())
    )
    return f"clocks are off: {named}" + (
        "; all of them are, so it may be the clock here" if everybody else ""
    )
