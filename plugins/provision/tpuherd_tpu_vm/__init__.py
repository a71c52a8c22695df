"""Slices created directly as nodes of the TPU API: `tpu.allocation_mode: tpu-vm`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd import Allocation, Attempt, Job, PlanStep, SliceObservation
    from tpuherd.config.spec import JobSpec


@hookimpl
def plan(spec: JobSpec) -> Sequence[PlanStep]:
    """Say what node would be created; what only a queued resource can have is refused."""
    from tpuherd.cloud.checks import require_node
    from tpuherd.cloud.planning import api_steps

    require_node(spec.tpu)
    return api_steps(spec, "Node")


@hookimpl
def provision(job: Job, attempt: Attempt) -> Allocation | None:  # noqa: ARG001 - the job carries the attempt
    """Create the node, or adopt it; wait until its workers answer."""
    from tpuherd.cloud.acquiring import acquire
    from tpuherd_tpu_vm.node import Nodes

    return acquire(job, Nodes)


@hookimpl
def observe(job: Job, allocation: Allocation) -> Sequence[SliceObservation] | None:
    """Read the node's state."""
    from tpuherd.cloud.observing import observe_nodes

    return observe_nodes(job, allocation)


@hookimpl
def release(job: Job, allocation: Allocation | None) -> bool | None:
    """Delete the node if it is this job's."""
    from tpuherd.cloud.giving_back import give_back
    from tpuherd_tpu_vm.node import Nodes

    give_back(job, Nodes(job), allocation)
    return True
