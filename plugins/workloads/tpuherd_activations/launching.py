"""Starting one process on every worker."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING

from tpuherd import ConfigError, Launch, launch
from tpuherd.accelerators import resolve
from tpuherd.engine.variables import coordinator_port
from tpuherd_activations.config import ActivationsSection
from tpuherd_activations.forms import chosen_form
from tpuherd_activations.worker.variables import VARIABLES
from tpuherd_activations.worker.work.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

    from tpuherd import Allocation, Cloud, Environment, Job, SyncedCode, WorkloadExit
    from tpuherd.config.spec import JobSpec

PACKAGE = "tpuherd_activations_worker"
"""The worker side's name there; its modules import one another relatively, so the name is free."""
SETTINGS = "settings.json"
ORDERED = {"PYTHONHASHSEED": "0"}
"""Sets have the same order everywhere, in other people's forms, too."""


def run(job: Job, allocation: Allocation, environment: Environment, code: SyncedCode) -> WorkloadExit:
    """Run until the dataset is there; every worker claims parts of the input, and writes what they become."""
    output = output_directory(job.spec, job.cloud)
    section = job.spec.section(ActivationsSection)
    form = chosen_form(section)
    settings = replace(
        settings_of(section),
        form_function=form.function,
        output=output,
        slices=coordinators(job, allocation),
        worker_memory_bytes=memory_bytes(allocation) if job.cloud.devices == "tpu" else 0,
        devices=job.cloud.devices,
    )
    what = Launch(
        script=f'{PYTHONPATH}exec python -m {PACKAGE} run "$TPUHERD_ATTEMPT_DIR/{SETTINGS}"\n',
        files={**worker_files(), **form.files, SETTINGS: settings.to_json()},
        variables=ORDERED | VARIABLES,
        output_directory=output,
    )
    return launch(job, allocation, environment, code, what)


PYTHONPATH = 'export PYTHONPATH="$TPUHERD_ATTEMPT_DIR${PYTHONPATH:+:$PYTHONPATH}"\n'


def settings_of(section: ActivationsSection) -> Settings:
    """What the job file says, without what depends on where it runs."""
    return Settings(**section.model_dump(exclude={"local_input", "streams"}), output="")


def output_directory(spec: JobSpec, cloud: Cloud) -> str:
    """Where datasets are. It is the same for all attempts: they go on where the last one was.

    Raises:
        ConfigError: neither the job file nor the cloud has a place that all workers see.
    """
    if spec.output.directory is not None:
        return spec.output.directory
    if cloud.shared_directory is None:
        raise ConfigError("output.directory: this cloud has no folder that all workers see; name one")
    return f"{cloud.shared_directory}/activations"


def coordinators(job: Job, allocation: Allocation) -> tuple[tuple[str, int], ...]:
    """For each slice the address of its first worker's JAX coordinator, and how many workers it has.

    The port differs from slice to slice, because those of an emulated cloud share one network stack.
    """
    port = coordinator_port(job)
    firsts = [(piece.workers[0].internal_address, len(piece.workers)) for piece in allocation.slices]
    return tuple((f"{address}:{port + index}", count) for index, (address, count) in enumerate(firsts))


def memory_bytes(allocation: Allocation) -> int:
    """Of all chips of a worker."""
    of = resolve(allocation.accelerator)
    return of.chips_per_worker * of.hbm_gib_per_chip * 2**30


def worker_files() -> dict[str, str]:
    """The worker side's modules as files for the attempt's folder."""
    return dict(_below(files(f"{__package__}.worker"), PACKAGE))


def _below(folder: Traversable, name: str) -> Iterator[tuple[str, str]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _below(entry, f"{name}/{entry.name}")
        elif entry.name.endswith(".py"):
            yield f"{name}/{entry.name}", entry.read_text()
