"""The `cloud.*` tasks: the emulated cloud by hand."""

from __future__ import annotations

import shlex
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from tpuherd import StateError
from tpuherd.tasks.command import command

if TYPE_CHECKING:
    from invoke.context import Context

    from tpuherd_emulator.info import CloudInfo

OPTIONS = {
    "create_s": "Seconds until the workers of a new node are powered on, default 0.2; 1..5 is random.",
    "delete_s": "Time that a node stays DELETING or STOPPING, in seconds, default 0.05.",
    "queue_s": "Time of each state of a queued resource before ACTIVE, in seconds, default 0.1.",
    "clock": "real, or manual: time stands still until `cloud.tick`.",
    "speed": "Emulated seconds per real second, default 1.",
    "seed": "Of random times and rates, a number.",
    "workers": "ssh, or none: workers are addresses where nothing answers.",
    "scenario": "A YAML file with settings, faults, and when they happen.",
    "ssh_port": "Port of all SSH servers, default a free one; gcloud wants 22, which needs root.",
    "zones": "More zones, with commas; they offer every accelerator.",
    "backend": "auto, or SANDBOX+SERVER: bwrap, unshare or none, and sshd or builtin.",
    "project": "The project's name.",
    "json": "Print JSON.",
}


@command(help=OPTIONS)
def up(
    _context: Context,
    create_s: str = "",
    delete_s: str = "",
    queue_s: str = "",
    clock: str = "",
    speed: str = "",
    seed: str = "",
    workers: str = "",
    scenario: str = "",
    ssh_port: str = "",
    zones: str = "",
    backend: str = "",
    project: str = "",
    json: bool = False,
) -> None:
    """Start the emulated cloud and keep it until `cloud.down`; one that runs keeps its options."""
    from tpuherd.output.tables import print_json
    from tpuherd_emulator.beginning import begin

    given = {
        "create_s": create_s,
        "delete_s": delete_s,
        "queue_s": queue_s,
        "clock": clock,
        "speed": speed,
        "seed": seed,
        "workers": workers,
        "ssh_port": ssh_port,
        "zones": zones,
        "backend": backend,
        "project": project,
    }
    info = begin(given, scenario)
    if json:
        print_json(_shown(info))
        return
    sys.stdout.write(f"emulated cloud at {info.tpu_endpoint}, workers by {info.backend}, pid {info.pid}\n")


@command(help={"json": "Print JSON."})
def status(_context: Context, json: bool = False) -> None:
    """Show whether the emulated cloud runs, for whom, and its nodes."""
    from tpuherd.output.tables import print_json, print_table
    from tpuherd_emulator.joining import directory
    from tpuherd_emulator.lifecycle import status as look

    found = look(directory())
    if json:
        print_json(asdict(found) | {"info": _shown(found.info) if found.info else None})
        return
    if found.info is None:
        sys.stdout.write("no emulated cloud runs; `tpuherd cloud.up` starts one\n")
        return
    print_table(("emulated cloud", ""), list(_shown(found.info).items()))
    print_table(("used by",), [(user,) for user in found.users])
    rows = [(n.name, n.zone, n.accelerator, n.state, n.workers) for n in found.nodes]
    print_table(("node", "zone", "accelerator", "state", "workers"), rows)


SHOWN = ("pid", "tpu_endpoint", "project", "backend", "ssh_user", "ssh_port", "shared_directory")
"""What a status shows; the rest holds the token."""


def _shown(info: CloudInfo) -> dict[str, object]:
    return {name: getattr(info, name) for name in SHOWN}


@command(help={"force": "Also if jobs use it: their workers are powered off.", "json": "Print JSON."})
def down(_context: Context, force: bool = False, json: bool = False) -> None:
    """Stop the emulated cloud with everything on it, also what a killed one has left."""
    from tpuherd.output.tables import print_json
    from tpuherd_emulator.beginning import MANUAL
    from tpuherd_emulator.joining import directory
    from tpuherd_emulator.lifecycle import down as stop
    from tpuherd_emulator.lifecycle import status as look

    found = look(directory())
    jobs = [user for user in found.users if user != MANUAL]
    if found.running and jobs and not force:
        raise StateError(f"jobs use it: {', '.join(jobs)}. Cancel them, or add --force")
    cleaned = stop(directory())
    if json:
        print_json({"cleaned": cleaned})
        return
    for line in cleaned or ("nothing to stop",):
        sys.stdout.write(f"{line}\n")


@command(help={"json": "Print JSON."})
def env(_context: Context, json: bool = False) -> None:
    """Print shell lines with the endpoints, for other clients: `eval "$(tpuherd cloud.env)"`."""
    from tpuherd.output.tables import print_json
    from tpuherd_emulator.exports import exports
    from tpuherd_emulator.joining import directory
    from tpuherd_emulator.lifecycle import status as look

    info = look(directory()).info
    if info is None:
        raise StateError("no emulated cloud runs; `tpuherd cloud.up` starts one")
    variables = exports(info, directory())
    if json:
        print_json(variables)
        return
    for name, value in variables.items():
        sys.stdout.write(f"export {name}={shlex.quote(value)}\n")
