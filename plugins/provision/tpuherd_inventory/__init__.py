"""Slices that exist already: `tpu.allocation_mode: inventory`; with `cloud: inventory` without any cloud."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import ConfigSection, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd import Allocation, Attempt, Cloud, Job, PlanStep, SliceObservation
    from tpuherd.config.spec import JobSpec


@hookimpl
def config_section() -> ConfigSection:
    """The `inventory` section."""
    from tpuherd_inventory.config import InventorySection

    return ConfigSection(
        name="inventory", model=InventorySection, description="Machines that exist already, and which to use."
    )


@hookimpl
def plan(spec: JobSpec) -> Sequence[PlanStep]:
    """Say which machine would be claimed, and what is asked of it."""
    from tpuherd_inventory.planning import steps

    return steps(spec)


@hookimpl
def connect_cloud(spec: JobSpec, job_id: str) -> Cloud | None:  # noqa: ARG001 - machines count no users
    """Find the SSH key for machines that no cloud knows."""
    from tpuherd_inventory.access import own_machines

    return own_machines(spec)


@hookimpl
def leave_cloud(cloud: Cloud, job_id: str) -> None:
    """The machines go on without us."""


@hookimpl
def provision(job: Job, attempt: Attempt) -> Allocation | None:  # noqa: ARG001 - the job carries the attempt
    """Claim machines for the job, and see that they can be used; what the job has claimed stays so."""
    from tpuherd_inventory.claiming import get_machines

    return get_machines(job)


@hookimpl
def observe(job: Job, allocation: Allocation) -> Sequence[SliceObservation] | None:
    """Ask the TPU API or, where there is none, the machines themselves."""
    from tpuherd_inventory.observing import observe_machines

    return observe_machines(job, allocation)


@hookimpl
def release(job: Job, allocation: Allocation | None) -> bool | None:
    """Give the claims back once nothing of the job runs; the machines stay as they are."""
    from tpuherd_inventory.returning import give_back

    give_back(job, allocation)
    return True
