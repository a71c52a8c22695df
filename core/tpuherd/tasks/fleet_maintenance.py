"""The `tpus` commands about maintenance: look, rehearse, begin."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tpuherd.tasks.command import command
from tpuherd.tasks.fleet_options import chosen, confirm, helps, look, zones_of

if TYPE_CHECKING:
    from invoke.context import Context

    from tpuherd.fleet.tpu import Tpu
    from tpuherd.tasks.fleet_options import View

MAINTENANCE_TIMEOUT_S = 1800.0
CALL_HELP = helps("name", "zone", "yes", "force", "timeout_s", "cloud", "project", "json")


@command(iterable=["zone"], help=helps("cloud", "project", "json", zone="Only this zone; may be repeated."))
def maintenance(
    _context: Context, zone: list[str], json: bool = False, cloud: str = "", project: str = ""
) -> None:
    """Show which TPUs are going to be maintained, and when. TPU VMs cannot be moved: work on them ends."""
    from dataclasses import asdict

    from tpuherd.fleet.maintenance import announced
    from tpuherd.output.tables import print_json, print_table
    from tpuherd.tasks.clouds import visit

    found = announced(visit(cloud, project), zone)
    if found.unreachable:
        sys.stderr.write(f"tpuherd: no answer from {', '.join(found.unreachable)}: unknown what is there\n")
    if json:
        print_json({"events": [asdict(e) for e in found.events], "unreachable": found.unreachable})
        return
    columns = ("name", "zone", "type", "status", "begins", "ends", "begins at the latest", "can be earlier")
    times = [(e.begins, e.ends, e.begins_at_latest) for e in found.events]
    rows = [
        (e.node, e.zone, e.kind, e.status, *when, "yes" if e.can_reschedule else "no")
        for e, when in zip(found.events, times, strict=True)
    ]
    print_table(columns, rows)


@command(positional=["name"], help=CALL_HELP | {"worker": "Number of the worker that is to be hit."})
def simulate_maintenance(
    _context: Context,
    name: str,
    zone: str = "",
    worker: int = 0,
    yes: bool = False,
    force: bool = False,
    timeout_s: float = MAINTENANCE_TIMEOUT_S,
    json: bool = False,
    cloud: str = "",
    project: str = "",
) -> None:
    """Rehearse a maintenance event on a worker of a real TPU: what runs there ends, and its VM is restarted.

    A job that runs on it meets what it would meet in earnest, so that one can see whether it recovers: a TPU
    with a job needs --force.
    """
    from tpuherd.errors import ConfigError
    from tpuherd.fleet.maintenance import simulate
    from tpuherd.output.reporter import Reporter

    view, tpu = _one(name, zone, cloud, project, force=force, yes=yes)
    if not 0 <= worker < max(tpu.workers, 1):
        raise ConfigError(f"--worker={worker}: {tpu.place} has workers 0 to {max(tpu.workers, 1) - 1}")
    confirm(f"Simulate maintenance on worker {worker} of {tpu.place}? What runs there ends.", yes=yes)
    simulate(view.cloud, tpu, worker, timeout_s=timeout_s, note=Reporter().note)
    _report(tpu, "simulated", json=json)


@command(positional=["name"], help=CALL_HELP)
def perform_maintenance(
    _context: Context,
    name: str,
    zone: str = "",
    yes: bool = False,
    force: bool = False,
    timeout_s: float = MAINTENANCE_TIMEOUT_S,
    json: bool = False,
    cloud: str = "",
    project: str = "",
) -> None:
    """Begin the announced maintenance of a TPU now, at a moment of your choice; what runs on it ends."""
    from tpuherd.fleet.maintenance import perform
    from tpuherd.output.reporter import Reporter

    view, tpu = _one(name, zone, cloud, project, force=force, yes=yes)
    confirm(f"Begin the maintenance of {tpu.place} now? What runs on it ends.", yes=yes)
    perform(view.cloud, tpu, timeout_s=timeout_s, note=Reporter().note)
    _report(tpu, "performed", json=json)


def _one(name: str, zone: str, cloud: str, project: str, *, force: bool, yes: bool) -> tuple[View, Tpu]:
    from tpuherd.errors import StateError
    from tpuherd.fleet.guarding import require_allowed
    from tpuherd.fleet.tpu import Kind

    view = look(cloud, project, zones_of([name], zone))
    (tpu,) = chosen(view, [name], zone)
    if tpu.kind is not Kind.NODE:
        raise StateError(f"{tpu.place} is a queued resource without nodes: there is nothing to maintain")
    require_allowed([tpu], view.known, force=force, insists=yes)
    return view, tpu


def _report(tpu: Tpu, what: str, *, json: bool) -> None:
    from tpuherd.output.reporter import Reporter
    from tpuherd.output.tables import print_json

    Reporter().note(f"maintenance of {tpu.place} {what}")
    if json:
        print_json({"name": tpu.name, "zone": tpu.zone, "maintenance": what})
