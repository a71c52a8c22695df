"""What would be done to use machines that exist already, and what cannot work."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd import ConfigError, PlanStep
from tpuherd_inventory.config import InventorySection

if TYPE_CHECKING:
    from tpuherd.config.spec import JobSpec

MODE = "inventory"


def steps(spec: JobSpec) -> list[PlanStep]:
    """From claiming to giving back.

    Raises:
        ConfigError: the sections contradict one another.
    """
    section = spec.section(InventorySection)
    _check(spec, section)
    return [
        PlanStep(stage="provision", where="the store", action=f"claim {wanted(spec, section)}"),
        *_api_steps(section),
        PlanStep(stage="provision", where="every worker", action="answer over SSH, and run nothing else"),
        PlanStep(stage="release", where="every worker", action="stop what still runs of the job"),
        PlanStep(stage="release", where="the store", action="end the claim; the machine stays"),
    ]


def wanted(spec: JobSpec, section: InventorySection) -> str:
    """Which machines, in words."""
    source = f"of {section.file}" if section.file else f"in {', '.join(spec.tpu.zones)}"
    if section.chosen in {"tpu", "alias"}:
        return f"{section.tpu or section.alias} {source}"
    kinds = ", ".join(section.patterns or spec.tpu.accelerators)
    return f"{spec.tpu.slices} free {source}: {kinds}"


def _api_steps(section: InventorySection) -> list[PlanStep]:
    if section.file:
        return []
    call = (
        "ListNodes in each zone" if section.chosen == "match" else f"GetNode {section.tpu or section.alias}"
    )
    key = "only if a login fails: UpdateNode, which adds our SSH key to the node's metadata item ssh-keys"
    return [
        PlanStep(stage="provision", where="TPU API", action=f"{call}: it has to be READY"),
        PlanStep(stage="provision", where="TPU API", action=key),
    ]


def _check(spec: JobSpec, section: InventorySection) -> None:
    own = spec.cloud == MODE
    if own and spec.tpu.allocation_mode != MODE:
        raise ConfigError(f"cloud: {MODE} only has machines that exist: set `tpu.allocation_mode: {MODE}`")
    if own and section.file is None:
        raise ConfigError(f"inventory.file is required with `cloud: {MODE}`: no API could be asked")
    if section.ssh and not own:
        raise ConfigError(f"inventory.ssh only counts with `cloud: {MODE}`; cloud {spec.cloud} has its own")
    if section.ssh and not Path(section.ssh.identity_file).expanduser().is_absolute():
        raise ConfigError("inventory.ssh.identity_file: give a whole path, or one that begins with ~")
    if spec.tpu.slices > 1 and section.chosen in {"tpu", "alias"}:
        raise ConfigError("tpu.slices: one machine is named; several are found by file or inventory.match")
