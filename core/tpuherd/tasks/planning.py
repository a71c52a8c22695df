"""Tasks about job files: plan, config.schema."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd.tasks import opening
from tpuherd.tasks.command import command

if TYPE_CHECKING:
    from invoke.context import Context

    from tpuherd.config.spec import JobSpec


@command(
    positional=["job_file"],
    iterable=["override"],
    help={
        "job_file": "The job file.",
        "override": "A key with another value, for example tpu.zone=us-east1-d; may be repeated.",
        "json": "Print JSON.",
    },
)
def plan(_context: Context, job_file: str, override: list[str], json: bool = False) -> None:
    """Show what a job would ask of whom, in order, and what it would cost, without doing any of it."""
    from tpuherd.engine.stages import Stage
    from tpuherd.hooks import Hooks
    from tpuherd.output.tables import print_json, print_table
    from tpuherd.tasks.plugins import manager

    loaded = opening.read(Path(job_file), override)
    from tpuherd.engine.opening import plan_steps

    order = [stage.value for stage in Stage]
    steps = sorted(
        plan_steps(Hooks(manager(), loaded.spec), job_file), key=lambda step: order.index(step.stage)
    )
    facts = _facts(loaded.spec)
    if json:
        print_json({"job": loaded.spec.job.name, **facts, "steps": [asdict(step) for step in steps]})
        return
    print_table(("", loaded.spec.job.name), list(facts.items()))
    print_table(("stage", "asked of", "what"), [(step.stage, step.where, step.action) for step in steps])


@command()
def schema(_context: Context) -> None:
    """Print the JSON Schema of job files with all installed plugins, for editors."""
    from tpuherd.config.schema import json_schema
    from tpuherd.hooks import GlobalHooks
    from tpuherd.output.tables import print_json
    from tpuherd.tasks.plugins import manager

    print_json(json_schema(GlobalHooks(manager()).config_sections()))


def _facts(spec: JobSpec) -> dict[str, object]:
    """What the accelerator stands for, and its price."""
    from tpuherd.prices import price_per_chip_hour

    shape, tpu = spec.tpu.shape, spec.tpu
    chips = shape.chips * tpu.slices
    price = price_per_chip_hour(shape.generation, tpu.zone, tpu.pricing)
    cost = f"{price * chips:.2f} USD" if price is not None else "not known"
    return {
        "accelerator": f"{tpu.slices} x {shape.name}" if tpu.slices > 1 else shape.name,
        "chips": chips,
        "workers": shape.workers * tpu.slices,
        "chips per worker": shape.chips_per_worker,
        "runtime version": tpu.runtime_version,
        "zone": tpu.zone,
        "pricing": tpu.pricing,
        "price per hour": "nothing, it is emulated" if spec.cloud == "emulator" else cost,
        "not carried out": ", ".join(spec.pending()) or "-",
    }
