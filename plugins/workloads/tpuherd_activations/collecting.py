"""The totals of a finished dataset."""

from __future__ import annotations

import json
import shlex
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from tpuherd import CollectedResults, WorkloadError
from tpuherd.remote.environment import command_in
from tpuherd_activations.launching import PACKAGE, SETTINGS
from tpuherd_activations.totals import told

if TYPE_CHECKING:
    from tpuherd import Allocation, Environment, Job, SyncedCode

FILE = "totals.json"


def bring_home(
    job: Job, allocation: Allocation, environment: Environment, code: SyncedCode
) -> CollectedResults:
    """Ask worker 0, which sees the dataset like all others, and write the answer below the attempt's folder.

    Raises:
        WorkloadError: the totals cannot be read there.
    """
    folder = f'"$HOME"/.tpuherd/attempts/{shlex.quote(job.attempt_id)}'
    script = f"PYTHONPATH={folder} exec python -m {PACKAGE} totals {folder}/{SETTINGS}"
    line = command_in(environment, code, script)
    remote = job.session.workers(allocation, job.cloud.ssh)
    with remote.open_stream(0, line) as stream:
        output = b"".join(stream)
        if stream.exit_code != 0:
            raise WorkloadError(f"w0: the dataset's totals cannot be read: {stream.stderr.strip()}")
    target = job.attempt_directory / "results"
    target.mkdir(parents=True, exist_ok=True)
    (target / FILE).write_bytes(output)
    return CollectedResults(
        directory=str(target), files=(PurePosixPath(FILE),), summary=told(json.loads(output))
    )
