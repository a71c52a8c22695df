"""What would be asked of the TPU API for a job."""

from __future__ import annotations

import getpass
from typing import TYPE_CHECKING

from tpuherd.errors import ConfigError
from tpuherd.model.plan import PlanStep

if TYPE_CHECKING:
    from tpuherd.config.spec import JobSpec
    from tpuherd.config.tpu import TpuSection


def api_steps(spec: JobSpec, resource: str) -> list[PlanStep]:
    """The requests from creation to deletion.

    Args:
        spec: the job file.
        resource: what is created: `Node` or `QueuedResource`.

    Raises:
        ConfigError: the TPU API does not have what the file asks for.
    """
    tpu = spec.tpu
    _require_served(tpu)
    name = planned_name(spec)
    slices = f"{tpu.slices} x {tpu.shape.name}" if tpu.slices > 1 else tpu.shape.name
    create = f"Create{resource} {name} in {tpu.zone}: {slices}, runtime {tpu.runtime_version}, {tpu.pricing}"
    answer = f"answer over SSH within {tpu.connect_timeout_s:.0f} s"
    return [
        PlanStep(stage="provision", where="TPU API", action=create),
        PlanStep(stage="provision", where="every worker", action=answer),
        PlanStep(stage="release", where="TPU API", action=f"Delete{resource} {name}"),
    ]


def planned_name(spec: JobSpec) -> str:
    """The id of the node as far as it is known before there is a job: the end of a job id is random."""
    return spec.tpu.name_for(getpass.getuser(), f"{spec.job.name}-0000").replace("-0000", "-…")


def _require_served(tpu: TpuSection) -> None:
    if tpu.shape.gke_only:
        raise ConfigError(
            f"tpu.accelerator: only GKE sells {tpu.shape.name}, the TPU API does not: "
            "choose a type of another generation, for example v6e-8"
        )
