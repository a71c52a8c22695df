"""The task that brings ports of workers to this machine: forward."""

from __future__ import annotations

import sys
import threading
from dataclasses import asdict
from typing import TYPE_CHECKING

from tpuherd.tasks.command import command
from tpuherd.tasks.reached import JOB_HELP, held

if TYPE_CHECKING:
    from invoke.context import Context


@command(
    positional=["job", "port"],
    help={
        "job": JOB_HELP,
        "port": "Port on the worker; 6006:8080 has it as port 8080 here, 6006:0 as any. Several: 6006,8888.",
        "worker": "Whose port it is.",
        "json": "Print JSON: one object per port, in one line.",
    },
)
def forward(_context: Context, job: str, port: str, worker: int = 0, json: bool = False) -> None:
    """Have a port of a worker on this machine, until Ctrl-C: `tpuherd forward JOB 6006`.

    For TensorBoard, profilers, notebooks. SSH carries the connections; the port is open on this machine's
    loopback only. A port that is not open on the worker yet may open later. If the local port is taken,
    another one is used, unless it was asked for.
    """
    from tpuherd import paths
    from tpuherd.config.ports import parse_ports
    from tpuherd.engine.using import in_use
    from tpuherd.output.reporter import Reporter
    from tpuherd.output.tables import print_json
    from tpuherd.reach.ports import open_ports
    from tpuherd.tasks import opening

    ports = parse_ports(port, worker)
    record = opening.find_job(job)
    allocation, cloud = held(record)
    reporter = Reporter()
    with (
        in_use(opening.store(), record),
        open_ports(ports, allocation, cloud.ssh, paths.known_hosts(record.id), reporter.note) as opened,
    ):
        if json:
            print_json([asdict(one) | {"url": one.url} for one in opened])
            sys.stdout.flush()  # whoever reads it waits for it now
        else:
            for one in opened:
                reporter.show(f"w{one.worker} port {one.port}: {one.url}")
        _until_interrupted()


def _until_interrupted() -> None:
    """Ctrl-C, TERM and a closed terminal are how this ends."""
    from tpuherd.reach.interruptible import interruptible

    try:
        with interruptible():
            threading.Event().wait()
    except KeyboardInterrupt:
        return
