"""A plugin whose stages take their time, so that a controller can be killed in the middle of each."""

from __future__ import annotations

import time
from pathlib import Path

from tpuherd import CollectedResults, Launch, hookimpl, launch

SLOW_S = 1.5


@hookimpl
def run_workload(job, allocation, environment, code):
    """Count the starts, check that environment and code are there, then count lines."""
    script = (
        f"echo started >> {job.cloud.shared_directory}/ran-$TPUHERD_WORKER\n"
        "python -c 'import iniconfig' && test -s big.bin && test -x tool.sh || exit 7\n"
        "for i in $(seq 30); do echo line $i; sleep 0.05; done"
    )
    return launch(job, allocation, environment, code, Launch(script=script))


@hookimpl
def collect(job):
    """Write one file, slowly."""
    target = job.attempt_directory / "results"
    target.mkdir(parents=True, exist_ok=True)
    Path(target / "partial").write_text("half")
    time.sleep(SLOW_S)
    Path(target / "whole").write_text("all")
    return CollectedResults(directory=str(target))
