"""Tasks that reach a job's workers: exec, ssh."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING

from invoke.exceptions import Exit

from tpuherd import paths
from tpuherd.errors import ConfigError
from tpuherd.tasks import opening
from tpuherd.tasks.command import command, words_after_dashes
from tpuherd.tasks.reached import JOB_HELP, held, reach
from tpuherd.tasks.worker_choice import WORKERS_HELP, chosen

if TYPE_CHECKING:
    from invoke.context import Context

    from tpuherd.remote import RemoteCommand
    from tpuherd.tasks.reached import Reached


@command(
    name="exec",
    positional=["job"],
    help={
        "job": JOB_HELP,
        "workers": WORKERS_HELP,
        "timeout_s": "Longest run of the command, in seconds; then it is ended.",
        "json": "Print JSON: one object per worker with exit code and output.",
        "command": "The command as one text for bash, instead of words after --.",
        "stdin": "Read standard input to its end, and give it to the command on each worker.",
        "bare": "On the VM itself: without the job's environment, code folder and variables.",
    },
)
def exec_task(
    _context: Context,
    job: str,
    workers: str = "all",
    timeout_s: float = 600.0,
    json: bool = False,
    command: str = "",
    stdin: bool = False,
    bare: bool = False,
) -> None:
    """Run a command on a job's workers: `tpuherd exec JOB -- df -h`.

    It runs as the workload does: in the job's environment and code folder, with the variables of its `env`.
    Each line of output is shown as it comes, with its worker in front. The exit code is the worst of the
    workers'. Ctrl-C ends the command on all of them.
    """
    from tpuherd.reach.executing import execute

    script = command or shlex.join(words_after_dashes())
    if not script:
        raise ConfigError("which command? `tpuherd exec JOB -- WORDS` or `--command TEXT`")
    data = sys.stdin.buffer.read() if stdin else b""
    with reach(job, workers) as reached:
        commands = _on_the_host(reached, script, data) if bare else _in_the_job(reached, script, data)
        code = execute(reached.remote, commands, timeout_s=timeout_s, json=json)
    if code:
        raise Exit(code=code)


def _on_the_host(reached: Reached, script: str, stdin: bytes) -> dict[int, RemoteCommand]:
    from tpuherd.remote import RemoteCommand

    line = shlex.join(["bash", "-c", script])
    return dict.fromkeys(reached.workers, RemoteCommand(command=line, stdin=stdin or None))


def _in_the_job(reached: Reached, script: str, stdin: bytes) -> dict[int, RemoteCommand]:
    from tpuherd.reach.commands import commands_in, visited_job
    from tpuherd.tasks.loaded import manager

    job = visited_job(opening.store(), manager(), reached.record, reached.cloud)
    return commands_in(opening.store(), job, reached.allocation, reached.workers, script, stdin)


@command(
    positional=["job"],
    help={
        "job": "A job, with :N for another worker than 0, for example bench:3.",
        "json": "Print the command line as JSON instead of running it.",
    },
)
def ssh(_context: Context, job: str, json: bool = False) -> None:
    """Open a shell on one worker of a job: `tpuherd ssh JOB`, or `tpuherd ssh JOB:3`.

    It uses the job's own key and host keys, and reads no file of yours. `tpuherd ssh-config` is for other
    programs that use SSH.
    """
    from tpuherd.engine.using import in_use
    from tpuherd.output.tables import print_json
    from tpuherd.remote import interactive_argv
    from tpuherd.remote.foreground import in_foreground

    word, _, number = job.partition(":")
    record = opening.find_job(word)
    allocation, cloud = held(record)
    indices = chosen(number or "0", len(allocation.workers))
    if len(indices) != 1:
        raise ConfigError(f"{job}: a shell is on one worker, for example {word}:0")
    argv = interactive_argv(allocation.workers[indices[0]], cloud.ssh, paths.known_hosts(record.id))
    sys.stdout.flush()
    if json:
        print_json({"job": record.id, "worker": indices[0], "argv": argv})
        return
    if record.idle_timeout_s is None:
        os.execvp(argv[0], argv)  # noqa: S606 - argv list, no shell
    with in_use(opening.store(), record):
        code = in_foreground(argv)
    raise Exit(code=code)
