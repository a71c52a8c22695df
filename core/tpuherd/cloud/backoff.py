"""What a refusal rules out, and until when."""

from __future__ import annotations

import math
import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd.accelerators import resolve
from tpuherd.cloud.refusals import Meaning, Refusal, Scope
from tpuherd.prices import region_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd.cloud.placement import Placement
    from tpuherd.cloud.refusals import CloudRefused

FIRST_PAUSE_S = 15.0
"""How long a scope is left alone after its first refusal."""
LONGEST_PAUSE_S = 600.0

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Barrier:
    """A part of the cloud in which nothing is asked for, and why."""

    error: CloudRefused
    times: int
    """How often it was said."""
    until: float
    """On the clock; infinite if it will not change."""


class Backoff:
    """Remembers refusals by their scope: zone, zone and type, or region and generation."""

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = lambda: random.uniform(0.5, 1.0),  # noqa: S311 - no secret
    ) -> None:
        """Nothing is ruled out yet.

        Args:
            clock: seconds, only growing.
            jitter: a factor from 0.5 to 1: many jobs that were refused at once must not come back at once.
        """
        self._clock = clock
        self._jitter = jitter
        self._barriers: dict[Key, Barrier] = {}

    def refused(self, placement: Placement, error: CloudRefused) -> None:
        """Rule out what a refusal holds for; ever longer if it is said again."""
        key = _key(placement, error.meaning)
        earlier = self._barriers.get(key)
        times = earlier.times + 1 if earlier else 1
        pause_s = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** (times - 1)) * self._jitter()
        until = math.inf if error.meaning.permanent else self._clock() + pause_s
        self._barriers[key] = Barrier(error=error, times=times, until=until)

    def barrier(self, placement: Placement) -> Barrier | None:
        """What keeps from asking in a placement now: the one that lasts longest."""
        known = (self._barriers.get(key) for key in _covering(placement))
        closed = [barrier for barrier in known if barrier and barrier.until > self._clock()]
        return max(closed, key=lambda barrier: barrier.until, default=None)

    def opens_in_s(self, placement: Placement) -> float:
        """Seconds until it can be asked for in a placement; 0: now, infinite: never."""
        barrier = self.barrier(placement)
        return barrier.until - self._clock() if barrier else 0.0


def _key(placement: Placement, meaning: Meaning) -> Key:
    zone, accelerator = placement.zone, placement.accelerator
    if meaning.refusal is Refusal.QUOTA:
        place = region_of(zone) if meaning.scope is Scope.REGION else zone
        return (place, resolve(accelerator).generation)
    if meaning.refusal is Refusal.PERMISSION:
        return (zone,)
    return (zone, accelerator)


def _covering(placement: Placement) -> list[Key]:
    """All keys whose barriers are in the way of a placement."""
    zone, accelerator = placement.zone, placement.accelerator
    generation = resolve(accelerator).generation
    return [(zone,), (zone, accelerator), (zone, generation), (region_of(zone), generation)]
