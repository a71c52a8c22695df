"""Starting one process on every worker."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from tpuherd import ConfigError, Launch, launch
from tpuherd.observing.reporting import Reports
from tpuherd_activations.config import ActivationsSection
from tpuherd_activations.forms import chosen_form
from tpuherd_activations.worker.work.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

    from tpuherd import Allocation, Environment, Job, SyncedCode, WorkloadExit

PACKAGE = "tpuherd_activations_worker"
"""The worker side's name there; its modules import one another relatively, so the name is free."""
SETTINGS = "settings.json"
ALONE = {"TPU_PROCESS_BOUNDS": "1,1,1", "TPU_CHIPS_PER_PROCESS_BOUNDS": "2,2,1", "CLOUD_TPU_TASK_ID": "0"}
"""For workers of slices with more than one: each has its own chips, and does not wait for the others."""


def run(job: Job, allocation: Allocation, environment: Environment, code: SyncedCode) -> WorkloadExit:
    """Run until the dataset is there; every worker claims parts of the input, and writes what they become."""
    output = output_directory(job)
    section = job.spec.section(ActivationsSection)
    form = chosen_form(section)
    settings = Settings(**section.model_dump(), form_function=form.function, output=output)
    several = len(allocation.workers) > len(allocation.slices)
    what = Launch(
        script=f'{PYTHONPATH}exec python -m {PACKAGE} run "$TPUHERD_ATTEMPT_DIR/{SETTINGS}"\n',
        files={**worker_files(), **form.files, SETTINGS: settings.to_json()},
        variables=ALONE if several and job.cloud.devices == "tpu" else {},
        reports=Reports(step_pattern=r"tpuherd: shard (\d+) of"),
        output_directory=output,
    )
    return launch(job, allocation, environment, code, what)


PYTHONPATH = 'export PYTHONPATH="$TPUHERD_ATTEMPT_DIR${PYTHONPATH:+:$PYTHONPATH}"\n'


def output_directory(job: Job) -> str:
    """Where datasets are. It is the same for all attempts: they go on where the last one was.

    Raises:
        ConfigError: neither the job file nor the cloud has a place that all workers see.
    """
    if job.spec.output.directory is not None:
        return job.spec.output.directory
    if job.cloud.shared_directory is None:
        raise ConfigError("output.directory: this cloud has no folder that all workers see; name one")
    return f"{job.cloud.shared_directory}/activations"


def worker_files() -> dict[str, str]:
    """The worker side's modules as files for the attempt's folder."""
    return dict(_below(files(f"{__package__}.worker"), PACKAGE))


def _below(folder: Traversable, name: str) -> Iterator[tuple[str, str]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _below(entry, f"{name}/{entry.name}")
        elif entry.name.endswith(".py"):
            yield f"{name}/{entry.name}", entry.read_text()
