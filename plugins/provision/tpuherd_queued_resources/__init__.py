"""Slices through a queued resource, several at once if asked: `tpu.allocation_mode: queued-resources`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd import Allocation, Attempt, Job, PlanStep, SliceObservation
    from tpuherd.config.spec import JobSpec


@hookimpl
def plan(spec: JobSpec) -> Sequence[PlanStep]:
    """Say what queued resource would be created."""
    from tpuherd.cloud.planning import api_steps

    return api_steps(spec, "QueuedResource")


@hookimpl
def provision(job: Job, attempt: Attempt) -> Allocation | None:  # noqa: ARG001 - the job carries the attempt
    """Ask for the queued resource, or adopt it; wait until all workers of all its nodes answer."""
    from tpuherd.cloud.acquiring import acquire
    from tpuherd_queued_resources.resource import QueuedResources

    return acquire(job, QueuedResources)


@hookimpl
def observe(job: Job, allocation: Allocation) -> Sequence[SliceObservation] | None:
    """Read the nodes' states."""
    from tpuherd.cloud.observing import observe_nodes

    return observe_nodes(job, allocation)


@hookimpl
def release(job: Job, allocation: Allocation | None) -> bool | None:
    """Delete the queued resource with its nodes if it is this job's: suspended and failed ones hold quota."""
    from tpuherd.cloud.giving_back import give_back
    from tpuherd_queued_resources.resource import QueuedResources

    give_back(job, QueuedResources(job), allocation)
    return True
