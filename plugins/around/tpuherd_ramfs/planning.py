"""What `plan` says about the folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import PlanStep
from tpuherd_ramfs.config import RamfsSection
from tpuherd_ramfs.memory import require_room

if TYPE_CHECKING:
    from tpuherd.config.spec import JobSpec


def steps(spec: JobSpec) -> list[PlanStep]:
    """One step.

    Raises:
        ConfigError: it is larger than the memory of a machine that the job may get.
    """
    ramfs = spec.section(RamfsSection)
    if ramfs.size_gib is not None:
        require_room(spec, ramfs.size_gib)
    size = "without a bound" if ramfs.size_gib is None else f"of {ramfs.size_gib:g} GiB"
    kept = "kept" if ramfs.between_attempts == "keep" else "wiped"
    action = f"mount a folder in memory {size} at {ramfs.path}; {kept} between attempts"
    return [PlanStep(stage="equip_workers", where="every worker", action=action)]
