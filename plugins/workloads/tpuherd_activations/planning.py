"""What an extraction would do, as far as it can be known from here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd import ConfigError, PlanStep
from tpuherd.accelerators import resolve
from tpuherd.model.plan import RestartSigns
from tpuherd_activations.checking import check_form
from tpuherd_activations.config import ActivationsSection
from tpuherd_activations.estimating import Estimate, estimate
from tpuherd_activations.worker.input.forms import BUILT_IN

if TYPE_CHECKING:
    from tpuherd.config.spec import JobSpec

SIGNS = RestartSigns(restored=r"attempt \d+ goes on where \d+ of \d+ shards", kill_at="log=tpuherd: shard")


def steps(spec: JobSpec, base_directory: Path) -> list[PlanStep]:
    """What would run.

    Args:
        spec: The job.
        base_directory: Where relative paths of its file begin.

    Raises:
        ConfigError: the dataset would have no place that all workers see, there is no such form, or a folder
            that is on this machine is no checkpoint, has no documents, or has no such hooks.
    """
    section = spec.section(ActivationsSection)
    if spec.output.directory is None and spec.cloud != "emulator":
        raise ConfigError(
            "output.directory: workers make one dataset together: "
            "write a gs:// address, or the path of a mount that every worker has"
        )
    check_form(spec, section, base_directory)
    action = f"{', '.join(section.hooks)} of {section.model} over {section.input}"
    about = _estimated(spec, section)
    action += f": {about}" if about else ""
    return [
        PlanStep(stage="run_workload", where="every worker", action=action, restart=SIGNS),
        PlanStep(stage="collect", where="worker 0", action="totals of the dataset; totals.json"),
    ]


def _estimated(spec: JobSpec, section: ActivationsSection) -> str:
    """In words; empty if model or input cannot be seen from here."""
    local = [_here(spec, "model", section.model), _here(spec, "input", section.input)]
    if None in local:
        return ""
    from tpuherd_activations.worker.architecture import read
    from tpuherd_activations.worker.errors import DatasetError, ModelError
    from tpuherd_activations.worker.hooks import choose, shape
    from tpuherd_activations.worker.input.plan import streams_in
    from tpuherd_activations.worker.output.hooks import Hook
    from tpuherd_activations.worker.places import open_place

    try:
        architecture = read(Path(section.model))
        taps = choose(architecture, section.hooks)
        names = streams_in(open_place(section.input))
    except (ModelError, DatasetError) as error:
        raise ConfigError(f"activations: {error}") from error
    kind = "BF16" if section.dtype == "bfloat16" else "F32"
    hooks = [Hook(name=name, shape=shape(architecture, name), kind=kind) for name in taps.names]
    text = sum((Path(section.input) / name).stat().st_size for name in names)
    slice_type = resolve(spec.tpu.accelerator)
    zone, pricing = spec.tpu.zone or "", spec.tpu.pricing
    found = estimate(text, architecture, taps, hooks, slice_type, zone, pricing)
    made = f" (of the text as it is, before {section.form})" if section.form not in BUILT_IN else ""
    return _told(replace(found, cost_usd=None) if spec.cloud == "emulator" else found) + made


def _here(spec: JobSpec, key: str, address: str) -> Path | None:
    """The folder on this machine, whose files the workers of the emulated cloud see; `~` is the workers'."""
    folder = Path(address)
    if not folder.is_absolute():
        return None
    if folder.is_dir():
        return folder
    if spec.cloud == "emulator":
        raise ConfigError(f"activations.{key}: {folder}: there is no such folder")
    return None


def _told(found: Estimate) -> str:
    words = [f"about {found.rows:,} rows, {found.size_bytes / 2**30:.2f} GiB"]
    if found.compute_s is not None:
        words.append(f"{found.compute_s / 3600:.2f} h at 30 % of the chips' peak")
    if found.cost_usd is not None:
        words.append(f"{found.cost_usd:.2f} USD")
    return ", ".join(words)
