"""An emulated cloud on this machine: `cloud: emulator`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import hookimpl

if TYPE_CHECKING:
    from tpuherd import Cloud
    from tpuherd.config.spec import JobSpec
    from tpuherd.tasks.collection import TaskCollection


@hookimpl
def connect_cloud(spec: JobSpec, job_id: str) -> Cloud | None:  # noqa: ARG001 - there is one emulated cloud per user
    """Start the emulated cloud if it does not run, and note that the job uses it."""
    from tpuherd_emulator.joining import join

    return join(job_id)


@hookimpl
def visit_cloud(project: str | None) -> Cloud | None:  # noqa: ARG001 - there is one project per emulated cloud
    """Find the emulated cloud if it runs."""
    from tpuherd_emulator.joining import visit

    return visit()


@hookimpl
def leave_cloud(cloud: Cloud, job_id: str) -> None:  # noqa: ARG001 - as above
    """Stop the emulated cloud with its last user."""
    from tpuherd_emulator.joining import leave

    leave(job_id)


@hookimpl
def register_tasks(namespace: TaskCollection) -> None:
    """Add `cloud.up` and `cloud.down`, and what can be done in between."""
    from tpuherd_emulator import tasks
    from tpuherd_emulator.control import tasks as control
    from tpuherd_emulator.faults import tasks as faults

    for task in (tasks.up, tasks.status, tasks.down, tasks.env, *faults.TASKS, *control.TASKS):
        namespace.add(task, collection="cloud")
