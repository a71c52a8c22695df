"""Tasks about job files: plan, config.schema."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd.tasks import opening
from tpuherd.tasks.command import command

if TYPE_CHECKING:
    from invoke.context import Context

    from tpuherd.cloud.placement import Placement
    from tpuherd.config.load import LoadedJob
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
    from tpuherd.tasks.loaded import manager

    loaded = opening.read(Path(job_file), override)
    from tpuherd.engine.opening import plan_steps

    order = [stage.value for stage in Stage]
    one = _one(loaded, override)
    steps = sorted(plan_steps(Hooks(manager(), one.spec), job_file), key=lambda step: order.index(step.stage))
    facts = _facts(loaded.spec)
    places = _places(loaded.spec)
    if json:
        shown = {"placements": places, "steps": [asdict(step) for step in steps]}
        print_json({"job": loaded.spec.job.name, **facts, **shown})
        return
    print_table(("", loaded.spec.job.name), list(facts.items()))
    if len(places) > 1:
        print_table(tuple(places[0]), [tuple(place.values()) for place in places])
    print_table(("stage", "asked of", "what"), [(step.stage, step.where, step.action) for step in steps])


@command()
def schema(_context: Context) -> None:
    """Print the JSON Schema of job files with all installed plugins, for editors."""
    from tpuherd.config.schema import json_schema
    from tpuherd.hooks import GlobalHooks
    from tpuherd.output.tables import print_json
    from tpuherd.tasks.loaded import manager

    print_json(json_schema(GlobalHooks(manager()).config_sections()))


def _facts(spec: JobSpec) -> dict[str, object]:
    """What the first accelerator stands for, and its price in the zone that is tried first."""
    from tpuherd.cloud.placement import rounds

    tpu = spec.tpu
    first = rounds(tpu)[0][0]
    shape = first.shape
    cost = _price(first, spec)
    return {
        "allocation mode": _mode(spec),
        "accelerator": f"{tpu.slices} x {shape.name}" if tpu.slices > 1 else shape.name,
        "chips": shape.chips * tpu.slices,
        "workers": shape.workers * tpu.slices,
        "chips per worker": shape.chips_per_worker,
        "runtime version": tpu.runtime_version_for(shape.name),
        **_members(spec),
        "zone": first.zone,
        "pricing": "reserved" if tpu.reserved else tpu.pricing,
        "price per hour": "nothing, it is emulated" if spec.cloud == "emulator" else cost,
        "not carried out": ", ".join(spec.pending()) or "-",
    }


def _one(loaded: LoadedJob, overrides: list[str]) -> LoadedJob:
    """The job that steps are about: of a fleet its first member."""
    from tpuherd.members.planning import members_of

    members = members_of(loaded.spec)
    if not members:
        return loaded
    name = f"job.name={loaded.spec.job.name}"  # ids begin with that of the fleet
    return opening.read(loaded.path, [*overrides, *members[0].overrides, name])


def _members(spec: JobSpec) -> dict[str, object]:
    """Of a fleet; what else is said is about one of them."""
    from tpuherd.members.planning import members_of

    found = members_of(spec)
    return {"members": f"{len(found)}, in turn over {', '.join(spec.tpu.zones)}"} if found else {}


def _mode(spec: JobSpec) -> str:
    choice = spec.tpu.choice
    return f"{choice.provider} (auto: {choice.reason})" if choice.reason else choice.provider


def _places(spec: JobSpec) -> list[dict[str, object]]:
    """Every place that is tried, in order, those of one number at once; of a fleet where its members are."""
    from tpuherd.cloud.placement import rounds

    if spec.whole_fleet is not None:
        return _places_of_members(spec, spec.whole_fleet.members_per_zone)
    return [
        {
            "try": number,
            "zone": place.zone,
            "accelerator": place.accelerator,
            "chips": place.shape.chips * spec.tpu.slices,
            "list price per hour": _price(place, spec),
        }
        for number, places in enumerate(rounds(spec.tpu), start=1)
        for place in places
    ]


def _places_of_members(spec: JobSpec, members: int) -> list[dict[str, object]]:
    """What the members of each zone ask for first."""
    from tpuherd.cloud.placement import placements

    return [
        {
            "members": members,
            "zone": place.zone,
            "accelerator": place.accelerator,
            "chips of each": place.shape.chips * spec.tpu.slices,
            "list price per hour of each": _price(place, spec),
        }
        for place in (placements(spec.tpu, zone)[0] for zone in spec.tpu.zones)
    ]


def _price(place: Placement, spec: JobSpec) -> str:
    """What all slices cost there; reservations have prices of their own."""
    price = None if spec.tpu.reserved else place.price_per_hour(spec.tpu.pricing)
    return f"{price * spec.tpu.slices:.2f} USD" if price is not None else "not known"
