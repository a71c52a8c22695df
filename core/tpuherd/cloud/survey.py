"""What of a job is in the cloud already: labels tell, in every zone where it may have asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.cloud.placement import placements
from tpuherd.cloud.refusals import CloudRefused, Refusal, Scope
from tpuherd.remote.parallel import in_parallel

if TYPE_CHECKING:
    from collections.abc import Collection

    from tpuherd.cloud.supply import Found, Supply
    from tpuherd.model.allocation import Allocation
    from tpuherd.model.job import Job

Answer = list["Found"] | CloudRefused
"""What a zone holds, or why that is not known."""


def zones_of(job: Job, allocation: Allocation | None = None) -> tuple[str, ...]:
    """All zones in which a job may have something: those of its file, of its attempt, of what it holds."""
    moved = placements(job.spec.tpu, job.attempt.zone)
    held = allocation.slices if allocation else ()
    named = (*job.spec.tpu.zones, *(place.zone for place in moved), *(piece.zone for piece in held))
    return tuple(dict.fromkeys(named))


def survey(supply: Supply, zones: tuple[str, ...], used: Collection[str] = ()) -> dict[str, Answer]:
    """Ask every zone once, all at once.

    Args:
        supply: what is asked for.
        zones: where.
        used: zones that have given the job something: no access to them now is no news of it.
    """
    answers = in_parallel(lambda zone: _listed(supply, zone, used=zone in used), zones)
    return dict(zip(zones, answers, strict=True))


def _listed(supply: Supply, zone: str, *, used: bool) -> Answer:
    try:
        return supply.listed(zone)
    except CloudRefused as error:
        no_such_zone = error.refusal is Refusal.PERMISSION and error.scope is Scope.ZONE
        return [] if no_such_zone and not used else error  # where it may not ask, it has not asked


def best(supply: Supply, found: list[Found]) -> list[Found]:
    """What is worth keeping comes first."""
    return sorted(found, key=lambda one: _rank(supply, one.state))


def _rank(supply: Supply, state: str) -> int:
    return supply.ranks.index(state) if state in supply.ranks else len(supply.ranks)
