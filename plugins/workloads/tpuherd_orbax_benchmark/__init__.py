"""Orbax's own checkpoint benchmarks as workload: `workload.kind: orbax_benchmark`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import (
    ConfigSection,
    hookimpl,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd import (
        Allocation,
        CollectedResults,
        Environment,
        Job,
        PlanStep,
        SyncedCode,
        WorkloadExit,
    )
    from tpuherd.config.spec import JobSpec
    from tpuherd.tasks.collection import TaskCollection


@hookimpl
def config_section() -> ConfigSection:
    """The `orbax_benchmark` section."""
    from tpuherd_orbax_benchmark.config import OrbaxBenchmarkSection

    return ConfigSection(
        name="orbax_benchmark", model=OrbaxBenchmarkSection, description="Orbax's own checkpoint benchmarks."
    )


@hookimpl
def register_tasks(namespace: TaskCollection) -> None:
    """Add `results.show` and `results.compare`."""
    from tpuherd_orbax_benchmark import tasks

    namespace.add(tasks.show, collection="results")
    namespace.add(tasks.compare, collection="results")


@hookimpl
def plan(spec: JobSpec) -> Sequence[PlanStep]:
    """Say what runs where; an output folder that workers cannot share is refused."""
    from tpuherd_orbax_benchmark.launching import steps

    return steps(spec)


@hookimpl
def run_workload(
    job: Job, allocation: Allocation, environment: Environment, code: SyncedCode
) -> WorkloadExit | None:
    """Run the harness as one `jax.distributed` job over all workers."""
    from tpuherd_orbax_benchmark.launching import run

    return run(job, allocation, environment, code)


@hookimpl
def collect(
    job: Job, allocation: Allocation, environment: Environment, code: SyncedCode, end: WorkloadExit
) -> CollectedResults | None:
    """Gather the metrics on a worker, and bring them home as JSON, CSV, a picture and TensorBoard files."""
    from tpuherd_orbax_benchmark.collecting import bring_home

    return bring_home(job, allocation, environment, code, end)
