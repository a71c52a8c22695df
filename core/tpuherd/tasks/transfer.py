"""Tasks that bring files to workers and back: put, get."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from invoke.exceptions import Exit

from tpuherd.errors import ConfigError
from tpuherd.exit_codes import ExitCode
from tpuherd.tasks.command import command
from tpuherd.tasks.reached import JOB_HELP, reach
from tpuherd.tasks.worker_choice import WORKERS_HELP

if TYPE_CHECKING:
    from invoke.context import Context

REPLACE_HELP = "Let a folder take the place of one that is there; without it, that is refused."


@command(
    positional=["job", "source", "destination"],
    help={
        "job": JOB_HELP,
        "source": "A file or folder of this machine.",
        "destination": "Where it appears on the workers, relative to the home folder; with / at its end, the "
        "folder that it is put in.",
        "workers": WORKERS_HELP,
        "replace": REPLACE_HELP,
        "json": "Print JSON: one object per worker.",
    },
)
def put(
    _context: Context,
    job: str,
    source: str,
    destination: str,
    workers: str = "all",
    replace: bool = False,
    json: bool = False,
) -> None:
    """Send a file or a folder to workers of a job: `tpuherd put JOB data.json inputs/`.

    On each worker it appears whole or not at all, with its exec bits and symbolic links. A file takes the
    place of a file. Workers that did not get it are named.
    """
    from tpuherd.output.fan_out import as_row, name_failed
    from tpuherd.output.reporter import Reporter
    from tpuherd.output.tables import print_json
    from tpuherd.reach.putting import Put
    from tpuherd.reach.putting import put as send

    what = Put(source=Path(source).absolute(), destination=destination, replace=replace)
    reporter = Reporter()
    with reach(job, workers) as reached:
        done = send(reached.remote, reached.workers, what)
    if json:
        print_json([as_row(result) | {"path": what.path} for result in done.results])
    name_failed(done, reporter)
    if done.failed:
        raise Exit(code=ExitCode.WORKER_UNREACHABLE)
    reporter.note(f"{what.source} is {what.path} on {len(done.results)} workers")


@command(
    positional=["job", "source", "folder"],
    help={
        "job": JOB_HELP,
        "source": "A file or folder on the workers, relative to the home folder.",
        "folder": "Folder of this machine.",
        "workers": WORKERS_HELP,
        "replace": REPLACE_HELP,
        "json": "Print JSON: one object per worker with the path, or why there is none.",
    },
)
def get(
    _context: Context,
    job: str,
    source: str,
    folder: str,
    workers: str = "all",
    replace: bool = False,
    json: bool = False,
) -> None:
    """Bring a file or a folder from workers of a job: `tpuherd get JOB .tpuherd/attempts/x logs/`.

    From one worker, `--workers 0`, it appears in FOLDER under its own name; from several, in FOLDER/w0,
    FOLDER/w1 and so on. It appears whole or not at all. Workers that did not have it are named.
    """
    from tpuherd.output.reporter import Reporter
    from tpuherd.output.tables import print_json
    from tpuherd.reach.getting import Get
    from tpuherd.reach.getting import get as fetch

    if Path(folder).exists() and not Path(folder).is_dir():
        raise ConfigError(f"{folder} is no folder")
    what = Get(source=source.rstrip("/") or "/", folder=Path(folder), replace=replace)
    reporter = Reporter()
    with reach(job, workers) as reached:
        came = fetch(reached.remote, reached.workers, what)
    if json:
        print_json([{"worker": one.worker, "path": one.path, "error": one.error} for one in came])
    missing = [one for one in came if one.path is None]
    for one in missing:
        reporter.problem(f"w{one.worker}: {one.error}")
    reporter.note(f"{source} came from {len(came) - len(missing)} of {len(came)} workers")
    if missing:
        raise Exit(code=ExitCode.WORKER_UNREACHABLE)
