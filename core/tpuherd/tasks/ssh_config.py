"""The task that lets every program that uses SSH reach workers by name."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd import paths
from tpuherd.errors import TpuherdError
from tpuherd.tasks import opening
from tpuherd.tasks.command import command
from tpuherd.tasks.reached import held, held_allocation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from invoke.context import Context

    from tpuherd.store.records import JobRecord

USER_FILE = "~/.ssh/config"


@command(
    name="ssh-config",
    help={
        "write": "Write the entries into a file of tpuherd's own, and include that in your configuration.",
        "config": f"Your configuration of ssh; default: {USER_FILE}.",
        "json": "Print JSON: the names, and the files.",
    },
)
def ssh_config(_context: Context, write: bool = False, config: str = USER_FILE, json: bool = False) -> None:
    """Show entries for ssh, scp, rsync and editors: one for each worker that jobs of this store hold.

    A worker is called JOB-w0, with the job's id or, for the newest job of a name, its name. With --write they
    go into a file that is replaced as a whole each time. Your own file gets one line at its top that includes
    it, and is not changed otherwise.
    """
    from tpuherd.output.tables import print_json
    from tpuherd.reach import ssh_file

    entries = dict(_entries())
    text = "\n".join([ssh_file.HEAD, *entries.values()])
    user_file, added = Path(config).expanduser(), False
    if write:
        ssh_file.managed_file().parent.mkdir(parents=True, exist_ok=True)
        ssh_file.write(ssh_file.managed_file(), text)
        added = ssh_file.include(user_file)
        _note(f"{len(entries)} workers in {ssh_file.managed_file()}")
        _note(f"{user_file} {'now includes' if added else 'includes'} it")
    if json:
        files = {"file": ssh_file.managed_file(), "config": user_file}
        print_json({"names": list(entries), "written": write, "line_added": added} | files)
    elif not write:
        sys.stdout.write(text)


def _entries() -> Iterator[tuple[str, str]]:
    """The first name of each worker, and its entry; a job whose cloud does not answer is left out."""
    from tpuherd.reach.ssh_file import entry

    holding = [job for job in opening.store().jobs.all() if held_allocation(job)]
    newest = {job.name: job.id for job in holding}
    for job in holding:
        try:
            allocation, cloud = held(job)
        except TpuherdError as error:
            _note(f"without job {job.id}: {error}")
            continue
        for worker in allocation.workers:
            names = _names(job, newest, worker.name)
            yield names[0], entry(names, worker, cloud.ssh, paths.known_hosts(job.id))


def _names(job: JobRecord, newest: dict[str, str], worker: str) -> list[str]:
    by_name = [f"{job.name}-{worker}"] if newest[job.name] == job.id else []
    return [f"{job.id}-{worker}", *by_name]


def _note(text: str) -> None:
    sys.stderr.write(f"{text}\n")
