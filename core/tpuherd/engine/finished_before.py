"""Whether a job's work is done before the job is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.engine.creating import with_suffix
from tpuherd.hooks import Hooks

if TYPE_CHECKING:
    from pluggy import PluginManager

    from tpuherd.config.load import LoadedJob
    from tpuherd.model.finished_work import FinishedWork


def find_finished(manager: PluginManager, loaded: LoadedJob) -> FinishedWork | None:
    """Ask the workload's plugin; the cloud is visited for as long as it looks.

    Raises:
        ProvisionError: the cloud cannot be reached.
    """
    hooks = Hooks(manager, loaded.spec)
    if not hooks.finds_finished():
        return None
    visitor = with_suffix(loaded.spec.job.name)
    cloud = hooks.connect_cloud(job_id=visitor)
    try:
        return hooks.find_finished(base_directory=loaded.base_directory, cloud=cloud)
    finally:
        hooks.leave_cloud(cloud=cloud, job_id=visitor)
