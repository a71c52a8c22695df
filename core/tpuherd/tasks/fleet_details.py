"""The `tpus` commands that look closer: quota, describe."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tpuherd.tasks.command import command
from tpuherd.tasks.fleet_options import helps

if TYPE_CHECKING:
    from invoke.context import Context


@command(iterable=["zone"], help=helps("cloud", "project", "json", zone="Only this zone; may be repeated."))
def quota(_context: Context, zone: list[str], json: bool = False, cloud: str = "", project: str = "") -> None:
    """Show how many chips are used in each zone, by type and by how they are paid for.

    The TPU API does not tell limits: `gcloud beta quotas info list --service=tpu.googleapis.com
    --project=PROJECT` does, or the page IAM & Admin, Quotas of the console. Quotas of v2 to v4 and v5p
    count TensorCores.
    """
    from dataclasses import asdict

    from tpuherd.fleet.totals import usage
    from tpuherd.output.tables import print_json, print_table
    from tpuherd.tasks.fleet_options import look

    view = look(cloud, project, zone)
    lines = usage(view.fleet.tpus)
    if json:
        print_json({"used": [asdict(line) for line in lines], "unreachable": view.fleet.unreachable})
        return
    columns = ("zone", "type", "tier", "nodes", "chips", "cores", "chips waited for")
    rows = [(u.zone, u.generation, u.tier, u.nodes, u.chips, u.cores, u.waiting_chips or "") for u in lines]
    print_table(columns, rows)
    sys.stderr.write(f"{LIMITS.format(project=view.cloud.project)}\n")


LIMITS = (
    "The TPU API does not tell limits: `gcloud beta quotas info list --service=tpu.googleapis.com "
    "--project={project}` does, or the console's page IAM & Admin, Quotas"
)


@command(positional=["name"], help=helps("name", "zone", "cloud", "project", "json"))
def describe(
    _context: Context, name: str, zone: str = "", json: bool = False, cloud: str = "", project: str = ""
) -> None:
    """Show everything about one TPU: workers, health, symptoms, maintenance, labels, its queued resource."""
    from tpuherd.fleet import describing
    from tpuherd.fleet.describing_tables import print_description
    from tpuherd.fleet.showing import as_json
    from tpuherd.output.tables import print_json
    from tpuherd.tasks.fleet_options import chosen, look, zones_of

    view = look(cloud, project, zones_of([name], zone))
    (tpu,) = chosen(view, [name], zone)
    more = describing.describe(view.cloud, tpu)
    if json:
        print_json(as_json(tpu, view.known) | describing.as_json(more))
    else:
        print_description(tpu, view.known, more)
