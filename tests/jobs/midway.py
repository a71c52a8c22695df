"""A plugin whose stages wait, so that a controller can be killed in the middle of each."""

from __future__ import annotations

import time
from pathlib import Path

from tpuherd import CollectedResults, Launch, hookimpl, launch


@hookimpl
def run_workload(job, allocation, environment, code):
    """Count the starts, check that environment and code are there, then count lines."""
    shared = job.cloud.shared_directory
    script = (
        f"echo started >> {shared}/ran-$TPUHERD_WORKER\n"
        "python -c 'import iniconfig' && test -s big.bin && test -x tool.sh || exit 7\n"
        "for i in $(seq 15); do echo line $i; done\n"
        f"until test -e {shared}/after-run_workload; do sleep 0.1; done\n"
        "for i in $(seq 16 30); do echo line $i; done"
    )
    return launch(job, allocation, environment, code, Launch(script=script))


@hookimpl
def collect(job):
    """Write one file; the second half after the controller has been killed."""
    target = job.attempt_directory / "results"
    target.mkdir(parents=True, exist_ok=True)
    Path(target / "partial").write_text("half")
    while not Path(job.cloud.shared_directory, "after-collect").exists():
        time.sleep(0.1)
    Path(target / "whole").write_text("all")
    return CollectedResults(directory=str(target))
