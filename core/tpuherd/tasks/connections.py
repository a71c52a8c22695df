"""Tasks about the connections that are kept between commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.tasks import opening
from tpuherd.tasks.command import command

if TYPE_CHECKING:
    from invoke.context import Context

    from tpuherd.tasks.collection import TaskCollection


@command(name="list", help={"json": "Print JSON: job, workers, open, in_use, used_at, holder."})
def list_task(_context: Context, json: bool = False) -> None:
    """Show the SSH connections that are kept open between commands.

    A background process of yours holds them, which ends 10 minutes after the last command that used it, or
    TPUHERD_HOLDER_IDLE_S seconds after it.
    """
    from tpuherd.holder.dropping import connections, warm_starters
    from tpuherd.output.reporter import Reporter
    from tpuherd.output.tables import ago, print_json, print_table

    rows = connections()
    for pid in warm_starters():
        Reporter().note(f"process {pid} waits to start the next `tpuherd rerun`")
    if json:
        print_json(rows)
        return
    cells = [
        (r["job"], f"{r['open']} of {r['workers']}", "now" if r["in_use"] else ago(r["used_at"]), r["holder"])
        for r in rows
    ]
    print_table(("job", "open connections", "last used", "held by process"), cells)


@command(
    words="jobs",
    help={
        "jobs": "Only those of these jobs: ids, starts of ids, or names. Default: all.",
        "json": "Print JSON.",
    },
)
def close(_context: Context, jobs: list[str], json: bool = False) -> None:
    """Close the connections that are kept between commands; the next command opens new ones.

    A command that still uses one sees it as lost.
    """
    from tpuherd.holder.dropping import close_connections, close_warm_starters
    from tpuherd.output.reporter import Reporter
    from tpuherd.output.tables import print_json

    chosen: list[str | None] = [opening.find_job(job).id for job in jobs]
    count = sum(close_connections(job_id) for job_id in chosen or [None])
    if not jobs:
        close_warm_starters()
    if json:
        print_json({"closed": count})
        return
    Reporter().note(f"{count} connections closed")


def add_to(namespace: TaskCollection) -> None:
    """Add these tasks as `connections` and `connections.close`."""
    namespace.add(list_task, collection="connections", default=True)
    namespace.add(close, collection="connections")
