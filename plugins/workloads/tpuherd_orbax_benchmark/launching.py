"""Starting the harness on all workers."""

from __future__ import annotations

import shlex
from importlib.resources import files
from typing import TYPE_CHECKING

from tpuherd import ConfigError, Launch, PlanStep, WorkloadExit, launch
from tpuherd.accelerators import resolve
from tpuherd.model.plan import RestartSigns
from tpuherd.warming import import_in_background
from tpuherd_orbax_benchmark.config import OrbaxBenchmarkSection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd import Allocation, Environment, Job, SyncedCode
    from tpuherd.config.spec import JobSpec

PACKAGE = "tpuherd_orbax_worker"
"""The worker side's name there; its modules import one another relatively, so the name is free."""
CONFIG = "config.yaml"
"""The user's own config in the attempt's folder."""
SIGNS = RestartSigns(restored=r"Latest step(?: in test \S+)?: \d+", kill_at="log=Training step 1")
"""What the harness's benchmarks of emergency and peer-to-peer checkpoints say."""


def steps(spec: JobSpec) -> list[PlanStep]:
    """What would run; raises `ConfigError` if the results would have no place that all workers see."""
    section = spec.section(OrbaxBenchmarkSection)
    if spec.output.directory is None and spec.cloud != "emulator":
        raise ConfigError(
            "output.directory: the harness's processes need one folder that all of them see: "
            "write a gs:// address, or the path of a mount that every worker has"
        )
    config = section.config or section.config_file
    action = f"python -m orbax…run_benchmarks --config_file={config} as one jax.distributed job"
    return [
        PlanStep(stage="run_workload", where="every worker", action=action, restart=_signs(section)),
        PlanStep(
            stage="collect", where="worker 0", action="gather metrics; results.json, results.csv, results.png"
        ),
    ]


def _signs(section: OrbaxBenchmarkSection) -> RestartSigns | None:
    """Only a local folder outlives an attempt: the output's is a new one for each."""
    return SIGNS if section.local_directory else None


def run(job: Job, allocation: Allocation, environment: Environment, code: SyncedCode) -> WorkloadExit:
    """Run the harness on every worker, with the process and device counts that the allocation promises."""
    output = output_directory(job)
    section = job.spec.section(OrbaxBenchmarkSection)
    own = {CONFIG: (job.base_directory / section.config_file).read_text()} if section.config_file else {}
    what = Launch(
        script=_script(allocation, section, output),
        files=worker_files() | own,
        multi_process=True,
        output_directory=output,
    )
    import_in_background("pydantic", "rich.table", "matplotlib.backends.backend_agg", "matplotlib.figure")
    return launch(job, allocation, environment, code, what)


def worker_files() -> dict[str, str]:
    """The worker side's modules as files for the attempt's folder."""
    found = files(f"{__package__}.worker").iterdir()
    return {f"{PACKAGE}/{entry.name}": entry.read_text() for entry in found if entry.name.endswith(".py")}


def output_directory(job: Job) -> str:
    """A folder of this attempt alone: the harness fails, or mixes results, where another run has been.

    Raises:
        ConfigError: neither the job file nor the cloud has a place that all workers see.
    """
    root = job.spec.output.directory or job.cloud.shared_directory
    if root is None:
        raise ConfigError("output.directory: this cloud has no folder that all workers see; name one")
    return f"{root.rstrip('/')}/{job.id}/attempt-{job.attempt.number}"


def _script(allocation: Allocation, section: OrbaxBenchmarkSection, output: str) -> str:
    words = ["--output_directory", output, *expectation(allocation)]
    if section.local_directory:
        words += ["--local_directory", section.local_directory]
    config = f'"$TPUHERD_ATTEMPT_DIR/{CONFIG}"' if section.config_file else shlex.quote(section.config or "")
    flags = f" -- {shlex.join(section.flags)}" if section.flags else ""
    return (
        'export PYTHONPATH="$TPUHERD_ATTEMPT_DIR${PYTHONPATH:+:$PYTHONPATH}"\n'
        f"exec python -m {PACKAGE} run --config {config} {shlex.join(words)}{flags}\n"
    )


def expectation(allocation: Allocation) -> Sequence[str]:
    """JAX sees one device per chip, except on generations with two TensorCores that it shows apart."""
    shape = resolve(allocation.accelerator)
    devices = shape.chips * len(allocation.slices) * (2 if shape.generation in {"v2", "v3"} else 1)
    return ["--processes", str(len(allocation.workers)), "--devices", str(devices)]
