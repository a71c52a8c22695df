"""The `tpus` commands that make TPUs again: reapply, recreate-preempted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.tasks.command import command
from tpuherd.tasks.fleet_making import CREATE_TIMEOUT_S
from tpuherd.tasks.fleet_options import chosen, confirm, helps, look, zones_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from invoke.context import Context

    from tpuherd.fleet.orders import Order


@command(positional=["name"], help=helps("name", "zone", "yes", "timeout_s", "cloud", "project", "json"))
def reapply(
    _context: Context,
    name: str,
    zone: str = "",
    yes: bool = False,
    timeout_s: float = CREATE_TIMEOUT_S,
    json: bool = False,
    cloud: str = "",
    project: str = "",
) -> None:
    """Delete one of your TPUs and make the same again, from its own specification.

    One that came through a queued resource is made again with all its slices. The specification lies on disk
    until that is done: after an interruption, the same command goes on.
    """
    from tpuherd.fleet.deleting import named, targets
    from tpuherd.fleet.guarding import require_mine
    from tpuherd.fleet.lookup import split
    from tpuherd.fleet.remaking import finish, remake
    from tpuherd.fleet.repeating import unfinished
    from tpuherd.output.reporter import Reporter

    view, note = look(cloud, project, zones_of([name], zone)), Reporter().note
    orders = [o for o in unfinished(view.cloud.project, view.fleet) if _is(o, *split(name, zone))]
    if len(orders) == 1:
        finish(view.cloud, orders[0], timeout_s=timeout_s, note=note)
        _report([orders[0].what], json=json)
        return
    (target,) = targets(chosen(view, [name], zone), view.fleet.tpus)
    require_mine(target.rows, view.known)
    confirm(f"Delete {named([target])} and make the same again?", yes=yes)
    _report([remake(view.cloud, target, timeout_s=timeout_s, note=note).what], json=json)


@command(
    iterable=["zone"],
    help=helps(
        "yes",
        "timeout_s",
        "cloud",
        "project",
        "json",
        zone="Only this zone; may be repeated.",
        dry_run="Only say which ones.",
    ),
)
def recreate_preempted(
    _context: Context,
    zone: list[str],
    dry_run: bool = False,
    yes: bool = False,
    timeout_s: float = CREATE_TIMEOUT_S,
    json: bool = False,
    cloud: str = "",
    project: str = "",
) -> None:
    """Make all of your TPUs again that are PREEMPTED, TERMINATED or SUSPENDED, each from its specification.

    Those of live jobs are left to their jobs. What an interrupted call has deleted already is made, too.
    """
    from tpuherd.fleet.remaking import finish, remake
    from tpuherd.fleet.repeating import lost, unfinished
    from tpuherd.fleet.together import each, require
    from tpuherd.output.reporter import Reporter

    view, note = look(cloud, project, zone), Reporter().note
    gone, away = lost(view.fleet, view.known, note), unfinished(view.cloud.project, view.fleet, zone)
    names = [target.what for target in gone] + [order.what for order in away]
    if dry_run or not names:
        note(f"would make again: {', '.join(names)}" if names else "nothing of yours is lost")
        _report(names, json=json)
        return
    confirm(f"Delete what is left of {', '.join(names)}, and make the same again?", yes=yes)
    done = each(lambda t: remake(view.cloud, t, timeout_s=timeout_s, note=note), gone, lambda t: t.what)
    done += each(lambda o: finish(view.cloud, o, timeout_s=timeout_s, note=note), away, lambda o: o.what)
    _report([one.what for one in done if not one.error], json=json)
    require(done)


def _report(names: Sequence[str], *, json: bool) -> None:
    from tpuherd.output.tables import print_json

    if json:
        print_json({"recreated": list(names)})


def _is(order: Order, name: str, zone: str) -> bool:
    return order.name == name and zone in {"", order.zone}
