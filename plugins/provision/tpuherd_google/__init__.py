"""Google's own cloud: `cloud: google`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import Cloud, hookimpl

if TYPE_CHECKING:
    from tpuherd.config.spec import JobSpec


@hookimpl
def connect_cloud(spec: JobSpec, job_id: str) -> Cloud | None:  # noqa: ARG001 - this cloud counts no users
    """Find project and SSH key; by default, both are Google's own defaults."""
    from pathlib import Path

    from tpuherd_google.access import project, ssh_access

    key = Path(spec.ssh.private_key) if spec.ssh and spec.ssh.private_key else None
    return Cloud(name="google", project=project(spec.tpu.project), ssh=ssh_access(spec.job.remote_user, key))


@hookimpl
def visit_cloud(project: str | None) -> Cloud | None:
    """Find project and SSH key, as for a job."""
    from tpuherd_google import access

    return Cloud(name="google", project=access.project(project), ssh=access.ssh_access(None))


@hookimpl
def leave_cloud(cloud: Cloud, job_id: str) -> None:
    """Google's cloud goes on without us."""
