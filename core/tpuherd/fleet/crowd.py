"""Many TPUs at once: each is asked for or deleted on its own, and all are waited for by the same listings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tpuherd.errors import ConfigError
from tpuherd.fleet import deleting, making
from tpuherd.fleet.naming import named
from tpuherd.fleet.reading import read_fleet
from tpuherd.fleet.together import each
from tpuherd.fleet.tpu import Kind
from tpuherd.fleet.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.fleet.new import NewTpu
    from tpuherd.fleet.orders import Order
    from tpuherd.fleet.reading import Fleet
    from tpuherd.fleet.together import Done
    from tpuherd.fleet.tpu import Tpu
    from tpuherd.fleet.waiting import Note
    from tpuherd.model.cloud import Cloud

COMING = ("CREATING", "STARTING", "ACCEPTED", "WAITING_FOR_RESOURCES", "PROVISIONING", "ACTIVATING")
"""States of nodes and of queued resources that end by themselves."""


def several(new: NewTpu, count: int) -> list[NewTpu]:
    """The same TPU several times, called NAME-0, NAME-1 … so that the same command goes on after Ctrl-C.

    Raises:
        ConfigError: there is no name, or nothing is asked for.
    """
    if count < 1:
        raise ConfigError(f"--count={count}: at least 1")
    if not new.name:
        raise ConfigError("--count needs --name: the TPUs are called NAME-0, NAME-1 …")
    return [named(replace(new, name=f"{new.name}-{number}"), ()) for number in range(count)]


def make_all(
    cloud: Cloud, orders: Sequence[Order], *, wait: bool, timeout_s: float, note: Note
) -> list[Done]:
    """Ask for all, or take up what is there; one that is refused does not keep the others from it.

    Raises:
        ProvisionError: the API did not answer, or it took too long.
    """
    operations: dict[Order, str | None] = {}

    def ask(order: Order) -> None:
        operations[order] = making.ask(cloud, order, making.owner_of(order), note)

    done = each(ask, orders, lambda order: order.what)
    if not wait or not operations:
        return done
    ready = _settled(cloud, list(operations), timeout_s, note)
    note(f"{len(ready)} of {len(orders)} are READY")
    rest = [order for order in operations if order not in ready]
    failed = each(
        lambda order: making.wait_until_ready(
            cloud, order, operations[order], timeout_s=timeout_s, note=note
        ),
        rest,
        lambda order: order.what,
    )
    return [*(one for one in done if one.what not in {order.what for order in rest}), *failed]


def remove_all(
    cloud: Cloud, targets: Sequence[deleting.Target], *, wait: bool, timeout_s: float, note: Note
) -> list[Done]:
    """Delete all, each read again right before; one that is refused does not keep the others from it.

    Raises:
        ProvisionError: the API did not answer, or it took too long.
    """
    done = each(
        lambda target: deleting.delete(cloud, target, wait=False, timeout_s=timeout_s, note=note),
        targets,
        lambda target: target.what,
    )
    failed = {one.what for one in done if one.error}
    going = [row for target in targets if target.what not in failed for row in target.rows]
    if wait and going:
        what = f"the deletion of {len(going)} TPUs"
        wait_for(lambda: _gone(cloud, going), what=what, timeout_s=timeout_s, note=note)
        note(f"{len(going)} of {sum(len(target.rows) for target in targets)} are gone")
    return done


def _settled(cloud: Cloud, orders: Sequence[Order], timeout_s: float, note: Note) -> set[Order]:
    """Wait until none is on its way any more; those that are READY, as far as listings tell."""
    zones = sorted({order.zone for order in orders})

    def look() -> set[Order] | None:
        fleet = read_fleet(cloud, zones)
        rows = {order: _rows(fleet, order) for order in orders}
        if any(row.state in COMING for found in rows.values() for row in found):
            return None
        return {order for order, found in rows.items() if order.kind is Kind.NODE and _all_ready(found)}

    return wait_for(look, what=f"{len(orders)} TPUs", timeout_s=timeout_s, note=note)


def _rows(fleet: Fleet, order: Order) -> list[Tpu]:
    in_zone = [tpu for tpu in fleet.tpus if tpu.zone == order.zone]
    if order.kind is Kind.QUEUED_RESOURCE:
        return [tpu for tpu in in_zone if tpu.queued_resource == order.name]
    return [tpu for tpu in in_zone if tpu.name == order.name and tpu.kind is Kind.NODE]


def _all_ready(rows: Sequence[Tpu]) -> bool:
    return bool(rows) and all(row.state == "READY" for row in rows)


def _gone(cloud: Cloud, rows: Sequence[Tpu]) -> bool | None:
    """True once none of these very TPUs is there; a place that does not answer may still have them."""
    fleet = read_fleet(cloud, sorted({row.zone for row in rows}))
    wanted = {(row.place, row.incarnation) for row in rows}
    left = any((tpu.place, tpu.incarnation) in wanted for tpu in fleet.tpus)
    return None if left or fleet.unreachable else True
