"""What would be asked of the TPU API for a job."""

from __future__ import annotations

import getpass
from typing import TYPE_CHECKING

from tpuherd.cloud.checks import remarks, require_possible
from tpuherd.cloud.naming import kind_suffix
from tpuherd.cloud.placement import rounds
from tpuherd.config.naming import has_index, shown_name
from tpuherd.model.plan import PlanStep

if TYPE_CHECKING:
    from tpuherd.cloud.placement import Placement
    from tpuherd.config.spec import JobSpec

STAGE = "provision"


def api_steps(spec: JobSpec, resource: str) -> list[PlanStep]:
    """The requests from creation to deletion.

    Args:
        spec: the job file.
        resource: what is created: `Node` or `QueuedResource`.

    Raises:
        ConfigError: the TPU API does not have what the file asks for.
    """
    require_possible(spec.tpu)
    answer = f"answer over SSH within {spec.tpu.connect_timeout_s:.0f} s"
    return [
        *(PlanStep(stage=STAGE, where="this machine", action=f"note: {text}") for text in remarks(spec.tpu)),
        *_creations(spec, resource),
        PlanStep(stage=STAGE, where="every worker", action=answer),
        PlanStep(stage="release", where="TPU API", action=f"Delete{resource} {planned_name(spec)}"),
    ]


def planned_name(spec: JobSpec, placement: Placement | None = None) -> str:
    """The id of the node as far as it is known before there is a job: the end of a job id is random.

    Args:
        spec: the job file.
        placement: where; default: the place that is tried first.
    """
    place = placement or rounds(spec.tpu)[0][0]
    suffix = "" if has_index(spec.tpu.name) else kind_suffix(spec.tpu, place)
    return shown_name(spec.tpu.name, getpass.getuser(), spec.job.name, place) + suffix


def _creations(spec: JobSpec, resource: str) -> list[PlanStep]:
    actions: list[str] = []
    for number, places in enumerate(rounds(spec.tpu)):
        also = "at the same time: " if number == 0 else "else: "
        for place in places:
            lead = also if actions else ""
            actions.append(f"{lead}Create{resource} {planned_name(spec, place)} in {_what(spec, place)}")
    if spec.tpu.wait_for_capacity:
        actions.append(f"again until there is capacity, for at most {spec.tpu.provision_timeout_s:.0f} s")
    return [PlanStep(stage=STAGE, where="TPU API", action=action) for action in actions]


def _what(spec: JobSpec, place: Placement) -> str:
    tpu = spec.tpu
    slices = f"{tpu.slices} x {place.accelerator}" if tpu.slices > 1 else place.accelerator
    terms = "reserved" if tpu.reserved else tpu.pricing
    return f"{place.zone}: {slices}, runtime {tpu.runtime_version_for(place.accelerator)}, {terms}"
