"""Which members a fleet has: a pure function of its job file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuherd.config.spec import JobSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One job of a fleet."""

    index: int
    members: int
    """How many there are in all."""
    zones: tuple[str, ...]
    """Where it may be; its own zone first."""
    name: str

    @property
    def overrides(self) -> list[str]:
        """What makes the fleet's file the file of this member."""
        zones = ", ".join(self.zones)
        number = [f"fleet.member={self.index}", f"fleet.members={self.members}"]
        return [f"job.name={self.name}", *number, f"tpu.zones=[{zones}]"]


def members_of(spec: JobSpec) -> list[Member]:
    """The members of a fleet, in turn over its zones; none for a file without one."""
    fleet, zones = spec.whole_fleet, spec.tpu.zones
    if fleet is None:
        return []
    count = fleet.members_per_zone * len(zones)
    return [
        Member(
            index=index,
            members=count,
            name=f"{spec.job.name}-{suffix(index)}",
            zones=_zones(zones, index % len(zones), move=fleet.move),
        )
        for index in range(count)
    ]


def suffix(index: int) -> str:
    """What a member's name and id end with."""
    return f"w{index:03d}"


def _zones(zones: tuple[str, ...], own: int, *, move: bool) -> tuple[str, ...]:
    """Others after its own, so that members which move spread as well."""
    return (*zones[own:], *zones[:own]) if move else (zones[own],)
