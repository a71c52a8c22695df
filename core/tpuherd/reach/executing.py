"""A command on some workers, shown as it speaks: the work of `tpuherd exec`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.output.fan_out import as_row, name_failed, worst_code
from tpuherd.output.reporter import Reporter
from tpuherd.reach.marked import run_marked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tpuherd.remote import RemoteCommand, RemoteWorkers


def execute(
    remote: RemoteWorkers, commands: Mapping[int, RemoteCommand], *, timeout_s: float, json: bool
) -> int:
    """Run commands on workers; returns the worst exit code.

    Args:
        remote: connections to the workers.
        commands: by the index of the worker.
        timeout_s: for each worker, including connecting.
        json: print JSON at the end, instead of each line as it comes.

    Raises:
        KeyboardInterrupt: it was interrupted; the command was ended.
    """
    reporter = Reporter()
    done = run_marked(
        remote,
        commands,
        timeout_s=timeout_s,
        on_line=None if json else lambda worker, line: reporter.worker_line(worker.name, line.text),
        note=reporter.note,
    )
    if json:
        from tpuherd.output.tables import print_json

        print_json([as_row(result) for result in done.results])
    name_failed(done, reporter)
    return worst_code(done)
