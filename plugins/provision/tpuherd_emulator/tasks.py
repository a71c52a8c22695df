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

MANUAL = "cloud.up"
"""The user that `cloud.up` enters: the cloud then runs until `cloud.down`."""

OPTIONS = {
    "create_s": "Least time that a node stays CREATING, in seconds.",
    "delete_s": "Time that a node stays DELETING, in seconds.",
    "queue_s": "Time that a queued resource stays in each state before ACTIVE, in seconds.",
    "backend": "auto, or SANDBOX+SERVER: bwrap, unshare or none, and sshd or builtin.",
    "project": "The project's name.",
    "json": "Print JSON.",
}


@command(help=OPTIONS)
def up(
    _context: Context,
    create_s: float = 0.2,
    delete_s: float = 0.05,
    queue_s: float = 0.1,
    backend: str = "auto",
    project: str = "emulated-project",
    json: bool = False,
) -> None:
    """Start the emulated cloud and keep it until `cloud.down`; one that runs keeps its options."""
    from tpuherd.output.tables import print_json
    from tpuherd_emulator.joining import directory
    from tpuherd_emulator.lifecycle import EmulatorOptions, attach
    from tpuherd_emulator.lifecycle import up as start

    options = EmulatorOptions(
        create_s=create_s, delete_s=delete_s, queue_s=queue_s, backend=backend, project=project
    )
    attach(directory(), MANUAL)
    info = start(directory(), options)
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
    from tpuherd_emulator.joining import directory
    from tpuherd_emulator.lifecycle import status as look

    info = look(directory()).info
    if info is None:
        raise StateError("no emulated cloud runs; `tpuherd cloud.up` starts one")
    variables = {
        **info.worker_variables,
        "GOOGLE_CLOUD_PROJECT": info.project,
        "TPUHERD_EMULATOR_TPU_ENDPOINT": info.tpu_endpoint,
        "TPUHERD_EMULATOR_TOKEN": info.token,
        "TPUHERD_EMULATOR_SSH_KEY": info.private_key,
    }
    if json:
        print_json(variables)
        return
    for name, value in variables.items():
        sys.stdout.write(f"export {name}={shlex.quote(value)}\n")
