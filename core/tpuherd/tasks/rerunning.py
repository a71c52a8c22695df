"""The inner loop: the same slices and environment, with other code, another config or another command."""

from __future__ import annotations

import json as json_text
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from invoke.exceptions import Exit

from tpuherd.tasks import opening
from tpuherd.tasks.command import command, words_after_dashes
from tpuherd.tasks.reached import JOB_HELP

if TYPE_CHECKING:
    from invoke.context import Context

    from tpuherd.engine.rerunning import Rerun
    from tpuherd.store.records import JobRecord


@command(
    positional=["job"],
    iterable=["override"],
    help={
        "job": JOB_HELP,
        "override": "A key of the job file with another value; may be repeated. Earlier overrides stay.",
        "fresh": "Forget earlier overrides: the job file as it is now.",
        "job_file": "Another job file for the same slices; default: the job's own, as it is now.",
        "resume": "Tell the workload to go on from what earlier attempts left (TPUHERD_RESUME=1).",
        "on_interrupt": "What Ctrl-C means: ask, cancel, or detach. The slices are kept.",
        "json": "Print the outcome as JSON; logs and progress then go to standard error.",
    },
)
def rerun(
    _context: Context,
    job: str,
    override: list[str],
    fresh: bool = False,
    job_file: str = "",
    resume: bool = False,
    on_interrupt: str = "ask",
    json: bool = False,
) -> None:
    """Run a job once more on the slices that it holds, without setting anything up again.

    The job file is read again, the code is sent if it has changed, and a new attempt begins; what runs of the
    one before is stopped first. A job that has ended can be run again if its slices were kept. They are kept
    afterwards, too, until `tpuherd release`. Words after -- are another command:
    `tpuherd rerun JOB -- python train.py --lr=0.1`.
    """
    from tpuherd.engine.rerunning import require_rerunnable
    from tpuherd.engine.rerunning import rerun as run_again
    from tpuherd.output.reporter import Reporter
    from tpuherd.output.summary import print_summary
    from tpuherd.supervising.asking import take_from_supervisor

    policy = opening.on_interrupt(on_interrupt)
    record = opening.find_job(job)
    require_rerunnable(opening.store(), record)
    take_from_supervisor(opening.store(), record.id)
    opening.require_undriven(record)
    kept = [] if fresh else record.overrides
    what = _plan(record, [*kept, *override, *_command()], job_file, resume=resume)
    opening.store().jobs.want(record.id, "run")
    reporter = Reporter(logs=sys.stderr if json else None)
    reporter.note(f"job {record.id}")
    control = opening.controller(what.record, reporter, policy)
    outcome = control.drive(lambda engine: run_again(control, engine, what), goes_on=True)
    print_summary(opening.store(), record, outcome, json=json)
    if outcome.exit_code:
        raise Exit(code=outcome.exit_code)


def _plan(record: JobRecord, overrides: list[str], job_file: str, *, resume: bool) -> Rerun:
    from tpuherd.engine.opening import check_plan, open_hooks
    from tpuherd.engine.rerunning import plan_rerun
    from tpuherd.tasks.loaded import manager

    loaded = opening.read(Path(job_file or record.file), [*overrides, f"job.name={record.name}"])
    check_plan(manager(), loaded)
    return plan_rerun(record, open_hooks(manager(), record).spec, loaded, overrides, resume=resume)


def _command() -> list[str]:
    """The words after `--` as overrides."""
    words = words_after_dashes()
    script = shlex.join(words).replace("${", r"\${")  # which would be another key of the job file
    text = json_text.dumps(script)  # JSON is YAML, and needs no thought about quotes
    return ["workload.kind=command", f"command.cmd={text}"] if words else []
