"""The `tpus` commands that delete, stop and start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.tasks.command import command
from tpuherd.tasks.fleet_options import chosen, confirm, helps, look, zones_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from invoke.context import Context


CHANGE_TIMEOUT_S = 900.0
CHANGE_HELP = helps("name", "zone", "yes", "force", "timeout_s", "cloud", "project", "json")


@command(words="name", help=CHANGE_HELP | helps("wait"))
def delete(
    _context: Context,
    name: list[str],
    zone: str = "",
    yes: bool = False,
    force: bool = False,
    wait: bool = True,
    timeout_s: float = CHANGE_TIMEOUT_S,
    json: bool = False,
    cloud: str = "",
    project: str = "",
) -> None:
    """Delete TPUs and wait until they are gone; one of a queued resource goes with all of that.

    Only what you made, and no job uses; it asks first. Right before each deletion it looks again, and leaves
    alone what has changed in between. Others' TPUs need --force --yes.
    """
    from tpuherd.fleet import deleting
    from tpuherd.fleet.crowd import remove_all
    from tpuherd.fleet.guarding import require_allowed
    from tpuherd.fleet.together import require
    from tpuherd.output.reporter import Reporter
    from tpuherd.output.tables import print_json

    view, note = look(cloud, project, zones_of(name, zone)), Reporter().note
    wanted = deleting.targets(chosen(view, name, zone), view.fleet.tpus)
    rows = [row for target in wanted for row in target.rows]
    require_allowed(rows, view.known, force=force, insists=yes)
    confirm(f"Delete {deleting.named(wanted)}?", yes=yes)
    done = remove_all(view.cloud, wanted, wait=wait, timeout_s=timeout_s, note=note)
    if json:
        print_json({"deleted": [one.what for one in done if not one.error]})
    require(done)


@command(words="name", help=CHANGE_HELP)
def stop(
    _context: Context,
    name: list[str],
    zone: str = "",
    yes: bool = False,
    force: bool = False,
    timeout_s: float = CHANGE_TIMEOUT_S,
    json: bool = False,
    cloud: str = "",
    project: str = "",
) -> None:
    """Stop TPUs: disks stay, and the TPU is not paid for. Only single-host ones that are not spot."""
    _switch("stop_node", name, zone, cloud, project, timeout_s, yes=yes, force=force, json=json)


@command(words="name", help=CHANGE_HELP)
def start(
    _context: Context,
    name: list[str],
    zone: str = "",
    yes: bool = False,
    force: bool = False,
    timeout_s: float = CHANGE_TIMEOUT_S,
    json: bool = False,
    cloud: str = "",
    project: str = "",
) -> None:
    """Start TPUs that were stopped, and wait until they are READY."""
    _switch("start_node", name, zone, cloud, project, timeout_s, yes=yes, force=force, json=json)


def _switch(
    method: str,
    names: Sequence[str],
    zone: str,
    cloud: str,
    project: str,
    timeout_s: float,
    *,
    yes: bool,
    force: bool,
    json: bool,
) -> None:
    from tpuherd.fleet import power
    from tpuherd.fleet.guarding import require_allowed
    from tpuherd.fleet.together import each, require
    from tpuherd.output.reporter import Reporter
    from tpuherd.output.tables import print_json

    view, note = look(cloud, project, zones_of(names, zone)), Reporter().note
    tpus = chosen(view, names, zone)
    require_allowed(tpus, view.known, force=force, insists=yes)
    for tpu in tpus:
        power.require_possible(tpu, method)
    if method == "stop_node":
        confirm(f"Stop {', '.join(tpu.place for tpu in tpus)}?", yes=yes)
    done = each(
        lambda tpu: power.switch(view.cloud, tpu, method, timeout_s=timeout_s, note=note),
        tpus,
        lambda tpu: tpu.place,
    )
    if json:
        print_json([{"tpu": one.what, "state": power.DONE[method]} for one in done if not one.error])
    require(done)
