"""Activation extraction as workload: `workload.kind: activations`; `open` reads a finished dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import ConfigSection, hookimpl

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

    from tpuherd import (
        Allocation,
        Cloud,
        CollectedResults,
        Environment,
        FinishedWork,
        Job,
        PlanStep,
        SyncedCode,
        WorkloadExit,
    )
    from tpuherd.config.spec import JobSpec
    from tpuherd.tasks.collection import TaskCollection
    from tpuherd_activations.reading.dataset import Dataset

__all__ = ["open"]


def open(path: str | Path, *, cache: str | Path | None = None, unfinished: bool = False) -> Dataset:  # noqa: A001
    """Open a dataset of activations.

    Args:
        path: Its folder, on this machine or `gs://…`, or the folder above if that holds one dataset only.
        cache: Where shards of a bucket are kept; by default what was fetched is removed after use.
        unfinished: Also open what is still being made; it has the shards that are there now.

    Raises:
        PlaceError: there is no dataset, there are several, or it is not finished.
    """
    from tpuherd_activations.reading.opening import open_dataset

    return open_dataset(str(path), cache=cache, unfinished=unfinished)


@hookimpl
def config_section() -> ConfigSection:
    """The `activations` section."""
    from tpuherd_activations.config import ActivationsSection

    return ConfigSection(
        name="activations", model=ActivationsSection, description="Extraction of a model's activations."
    )


@hookimpl
def register_tasks(namespace: TaskCollection) -> None:
    """Add the commands `activations.…`."""
    from tpuherd_activations import planning_tasks, tasks

    finished = (tasks.show, tasks.verify, tasks.create_streams, tasks.export)
    for task in (*finished, planning_tasks.estimate, planning_tasks.forms):
        namespace.add(task, collection="activations")


@hookimpl
def plan(spec: JobSpec, base_directory: Path) -> Sequence[PlanStep]:
    """Say what runs where, and about how much comes out; wrong hooks are refused if seen from here."""
    from tpuherd_activations.planning import steps

    return steps(spec, base_directory)


@hookimpl
def find_finished(spec: JobSpec, base_directory: Path, cloud: Cloud) -> FinishedWork | None:
    """Find the dataset, if it is finished."""
    from tpuherd_activations.finished import find

    return find(spec, base_directory, cloud)


@hookimpl(wrapper=True)
def provision(job: Job) -> Generator[None, Allocation | None, Allocation | None]:
    """Put documents of this machine where workers read them, before anything costs money."""
    from tpuherd_activations.uploading import put_input

    put_input(job)
    return (yield)


@hookimpl
def run_workload(
    job: Job, allocation: Allocation, environment: Environment, code: SyncedCode
) -> WorkloadExit | None:
    """Run one process per worker; they share the input by claims."""
    from tpuherd_activations.launching import run

    return run(job, allocation, environment, code)


@hookimpl
def collect(
    job: Job, allocation: Allocation, environment: Environment, code: SyncedCode
) -> CollectedResults | None:
    """Bring the dataset's totals home; the dataset stays where it is."""
    from tpuherd_activations.collecting import bring_home

    return bring_home(job, allocation, environment, code)
