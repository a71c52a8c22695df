"""Reservations: the capacity that is set for the market `reserved`, as `ListReservations` shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd_emulator.api import names
from tpuherd_emulator.api.messages import messages

if TYPE_CHECKING:
    from tpuherd_emulator.api.context import Context
    from tpuherd_emulator.faults.limits import Pool


def reservations(context: Context) -> list[Any]:
    """Return one reservation per zone and generation; what of it is used is held by nodes."""
    pools = [pool for pool in context.capacity.limits if pool.market == "reserved" and pool.is_zone]
    return [_reservation(context, pool) for pool in sorted(pools, key=_order)]


def _order(pool: Pool) -> tuple[str, str]:
    return pool.place, pool.generation


def _reservation(context: Context, pool: Pool) -> Any:
    kind = messages.Reservation
    standard = kind.Standard(
        size=context.capacity.limits[pool],
        capacity_units=kind.Standard.CapacityUnits.CHIPS,
        resource_type=pool.generation,
        usage=kind.Standard.Usage(total=context.capacity.used(pool)),
    )
    place = names.Location(context.project, pool.place)
    name = f"{place}/reservations/{pool.generation or 'all'}"
    return kind(name=name, standard=standard, state=kind.State.ACTIVE)
