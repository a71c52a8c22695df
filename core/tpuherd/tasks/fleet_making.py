"""The `tpus` command that makes a TPU without a job."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tpuherd.tasks.command import command
from tpuherd.tasks.fleet_options import helps, look

if TYPE_CHECKING:
    from collections.abc import Sequence

    from invoke.context import Context

    from tpuherd.fleet.orders import Order
    from tpuherd.model.cloud import Cloud

CREATE_TIMEOUT_S = 3600.0


@command(
    positional=["type"],
    help=helps(
        "cloud",
        "project",
        "json",
        "wait",
        "timeout_s",
        type="Accelerator type, for example v5e-8 or v4-32.",
        zone="Where.",
        name="Its name; default: USER-TYPE-N with the smallest free N.",
        count="How many of it, called NAME-0, NAME-1 …; all are asked for at once.",
        tier="How it is paid for: ondemand, spot, preemptible or reserved.",
        spot="The same as --tier spot.",
        version="Runtime version; default: that of the generation.",
        queued="Through a queued resource, which waits for capacity.",
        slices="Number of slices, with --queued.",
        reservation="Full name of a reservation, with --queued and --tier reserved.",
        ttl="How long it may live, for example 2h: `tpuherd gc --yes` deletes it then.",
        network="VPC network.",
        subnetwork="Subnetwork of the network.",
        external_ips="Workers get no external addresses.",
    ),
)
def create(
    _context: Context,
    type: str,  # noqa: A002 - the word on the command line
    zone: str = "",
    name: str = "",
    count: int = 1,
    tier: str = "ondemand",
    spot: bool = False,
    version: str = "",
    queued: bool = False,
    slices: int = 1,
    reservation: str = "",
    ttl: str = "",
    network: str = "",
    subnetwork: str = "",
    external_ips: bool = True,
    wait: bool = True,
    timeout_s: float = CREATE_TIMEOUT_S,
    json: bool = False,
    cloud: str = "",
    project: str = "",
) -> None:
    """Make a TPU without a job, and wait until it is READY: `tpuherd tpus.create v5e-8 --zone us-west4-a`.

    Its labels say that it is yours. After Ctrl-C, the same command with --name goes on.
    """
    from tpuherd.fleet import making, naming
    from tpuherd.fleet.crowd import several
    from tpuherd.fleet.new import NewTpu, check, order_new
    from tpuherd.output.reporter import Reporter
    from tpuherd.output.tables import print_json
    from tpuherd.tasks.opening import store

    wanted = NewTpu(
        name=name,
        zone=naming.check_place(zone, type),
        accelerator=type,
        version=version,
        tier=naming.check_tier("spot" if spot else tier),
        slices=slices,
        queued=queued,
        labels=naming.labels(store().settings.store_id, ttl, time.time()),
        network=network,
        subnetwork=subnetwork,
        external_ips=external_ips,
        reservation=reservation,
    )
    check(naming.named(wanted, ()))
    view, note = look(cloud, project, [zone]), Reporter().note
    if count != 1:
        orders = [order_new(view.cloud, one) for one in several(wanted, count)]
        _make(view.cloud, orders, timeout_s, wait=wait, json=json)
        return
    order = order_new(view.cloud, naming.named(wanted, view.fleet.tpus))
    operation = making.ask(view.cloud, order, making.owner_of(order), note)
    if wait:
        making.wait_until_ready(view.cloud, order, operation, timeout_s=timeout_s, note=note)
    if json:
        print_json({"name": order.name, "zone": order.zone, "kind": order.kind.value, "ready": wait})


def _make(cloud: Cloud, orders: Sequence[Order], timeout_s: float, *, wait: bool, json: bool) -> None:
    from tpuherd.fleet.crowd import make_all
    from tpuherd.fleet.together import require
    from tpuherd.output.reporter import Reporter
    from tpuherd.output.tables import print_json

    done = make_all(cloud, orders, wait=wait, timeout_s=timeout_s, note=Reporter().note)
    bad = {one.what for one in done if one.error}
    made = [order for order in orders if order.what not in bad]
    if json:
        print_json([{"name": o.name, "zone": o.zone, "kind": o.kind.value, "ready": wait} for o in made])
    require(done)
