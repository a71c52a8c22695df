"""The cloud that a command without a job means."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuherd.model.cloud import Cloud

CLOUD_VARIABLE = "TPUHERD_CLOUD"
"""The cloud of commands that have no job, where `--cloud` is not given."""
DEFAULT = "google"

CLOUD_HELP = {
    "cloud": f"Plugin for the cloud; default: {CLOUD_VARIABLE}, the job file at hand, or {DEFAULT}.",
    "project": "Cloud project; default: the job file's, or that of the credentials.",
}
"""Help for `--cloud` and `--project`."""


def visit(cloud: str, project: str) -> Cloud:
    """The cloud named by `--cloud`, by a job file at hand, or by `TPUHERD_CLOUD`.

    Args:
        cloud: the value of `--cloud`; empty if it was not given.
        project: the value of `--project`; empty if it was not given.
    """
    from tpuherd.hooks import GlobalHooks
    from tpuherd.tasks.loaded import manager

    wanted, of_file = _of_job_file()
    name = cloud or os.environ.get(CLOUD_VARIABLE, "") or wanted or DEFAULT
    same = name == wanted
    return GlobalHooks(manager()).visit_cloud(name, project or (of_file if same else "") or None)


def _of_job_file() -> tuple[str, str]:
    """Cloud and project of the job file that other commands would take; empty if there is none."""
    from tpuherd.tasks.opening import DEFAULT_FILE, JOB_VARIABLE, read

    path = Path(os.environ.get(JOB_VARIABLE) or DEFAULT_FILE)  # `--job` may mean a job here
    if path == Path(DEFAULT_FILE) and not path.exists():
        return "", ""
    spec = read(path, ()).spec
    return spec.cloud, spec.tpu.project or ""
