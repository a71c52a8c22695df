"""What is known to be impossible before the TPU API is asked, and what had better be known."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tpuherd.accelerators import resolve
from tpuherd.config.choices import listed
from tpuherd.config.moments import is_duration, moment
from tpuherd.errors import ConfigError
from tpuherd.provisioners import QUEUE
from tpuherd.zones import AS_OF, KNOWN, is_sold, zones_of

if TYPE_CHECKING:
    from tpuherd.accelerators import Accelerator
    from tpuherd.config.tpu import TpuSection

NO_CHECK = "or, if the table of {as_of} is out of date, `tpu.check_zones: false`"


def require_possible(tpu: TpuSection) -> None:
    """Refuse what neither of the two ways to get slices can do.

    Raises:
        ConfigError: key, reason and what to write instead.
    """
    for name in tpu.accelerators:
        _require_served(resolve(name))
    if tpu.check_zones:
        _require_sold(tpu)
    _require_future(tpu)
    _require_places(tpu)


def require_node(tpu: TpuSection) -> None:
    """Refuse what a node that is created directly cannot have.

    Raises:
        ConfigError: key, reason and what to write instead.
    """
    lacking = {
        "tpu.slices: more than one slice": tpu.slices > 1,
        "tpu.reservation: a reservation": tpu.reservation is not None,
        "tpu.valid_until: a request that lapses": tpu.valid_until is not None,
    }
    for what, asked in lacking.items():
        if asked:
            raise ConfigError(f"{what} needs `tpu.allocation_mode: queued-resources` (or auto)")


def remarks(tpu: TpuSection) -> list[str]:
    """What is not wrong, but may surprise: unknown zones, types that a zone lacks, a missing tier."""
    found = _about_zones(tpu) if tpu.check_zones else []
    if tpu.pricing == "preemptible" and tpu.provider == QUEUE:
        found.append("queued resources know no preemptible tier: spot is asked for")
    return found


def _about_zones(tpu: TpuSection) -> list[str]:
    unknown = [zone for zone in tpu.zones if zone not in KNOWN]
    found = [
        f"zone {zone} is not in the table of {AS_OF}: what it sells is not known here" for zone in unknown
    ]
    missing = [place for place in tpu.every_placement() if not is_sold(place.shape, place.zone)]
    return found + [f"{place} is left out: that zone does not sell it" for place in missing]


def _require_served(shape: Accelerator) -> None:
    if shape.gke_only:
        raise ConfigError(
            f"tpu.accelerator: only GKE sells {shape.name}, the TPU API does not: "
            "choose a type of another generation, for example v6e-8"
        )


def _require_sold(tpu: TpuSection) -> None:
    """Every zone must sell one of the types, and every type must be sold in one of the zones."""
    shapes = [resolve(name) for name in tpu.accelerators]
    for zone in tpu.zones:
        if not any(is_sold(shape, zone) for shape in shapes):
            raise ConfigError(_not_sold(f"tpu.zone: {zone}", tpu.accelerators, shapes[0]))
    for shape in shapes:
        if not any(is_sold(shape, zone) for zone in tpu.zones):
            raise ConfigError(_not_sold(f"tpu.zone: {' or '.join(tpu.zones)}", (shape.name,), shape))


def _not_sold(where: str, names: tuple[str, ...], shape: Accelerator) -> str:
    zones = listed(sorted(zones_of(shape), key=_usual_first))
    escape = NO_CHECK.format(as_of=AS_OF)
    return (
        f"{where} does not sell {' or '.join(names)}; zones with {shape.name}: {zones}; choose one, {escape}"
    )


def _usual_first(zone: str) -> tuple[bool, str]:
    return (not zone.startswith("us-"), zone)


def _require_future(tpu: TpuSection) -> None:
    until = tpu.valid_until
    if until is not None and not is_duration(until) and moment(until) <= datetime.now(UTC):
        raise ConfigError(f"tpu.valid_until: {until} is over: write a later time, or a duration such as 6h")


def _require_places(tpu: TpuSection) -> None:
    """Resources that the job file names with their zone must be in one that is asked for."""
    named = {"tpu.reservation": [tpu.reservation or ""]}
    named["tpu.data_disks"] = [disk.source for disk in tpu.data_disks]
    for key, resources in named.items():
        for resource in resources:
            place = _place_in(resource)
            if place and not all(zone == place or zone.startswith(f"{place}-") for zone in tpu.zones):
                raise ConfigError(f"{key}: {resource} is in {place}, but the TPU may be in {_zones(tpu)}")


def _place_in(resource: str) -> str:
    """Zone or region in the full name of a resource; empty if it is only a name."""
    parts = resource.split("/")
    return parts[3] if len(parts) > 3 else ""


def _zones(tpu: TpuSection) -> str:
    return ", ".join(tpu.zones)
