"""Zones that are avoided for a while, and where to go instead."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tpuherd.model.failure import FailureClass

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from tpuherd.config.recovery import RecoverySection
    from tpuherd.model.failure import Diagnosis

LOST = frozenset({FailureClass.PREEMPTED, FailureClass.MAINTENANCE, FailureClass.HOST_FAULT})
"""Classes in which the cloud took the slices."""

TWICE = 2


def avoided(recovery: RecoverySection, diagnoses: Iterable[Diagnosis], now: float) -> frozenset[str]:
    """The zones that have given short-lived slices twice, not long ago.

    Args:
        recovery: the section of the job file: what short-lived is, and for how long that counts.
        diagnoses: of all failures, the present one included.
        now: seconds since the epoch.
    """
    short = Counter(
        one.scene.zone
        for one in diagnoses
        if one.failure in LOST
        and one.scene.held_s is not None
        and one.scene.held_s < recovery.short_lived_s
        and now - one.scene.at < recovery.avoid_zone_s
    )
    return frozenset(zone for zone, times in short.items() if zone and times >= TWICE)


def next_zone(zones: Sequence[str], current: str, avoid: Collection[str]) -> str | None:
    """The next zone to try after the current one, in the order given, round and round.

    Args:
        zones: where the job may be.
        current: where it was; it need not be one of them.
        avoid: zones to leave out.

    Returns:
        The zone; `None` if there is no other that may be tried.
    """
    start = zones.index(current) + 1 if current in zones else 0
    others = [zone for zone in (*zones[start:], *zones[:start]) if zone != current]
    return next((zone for zone in others if zone not in avoid), None)
