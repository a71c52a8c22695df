"""A look at a job's model and documents, wherever they are, for an estimate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tpuherd import ConfigError
from tpuherd.accelerators import resolve
from tpuherd_activations.estimating import Estimate, estimate
from tpuherd_activations.looking import architecture_of
from tpuherd_activations.measuring.text import text_bytes
from tpuherd_activations.worker.errors import DatasetError, ModelError
from tpuherd_activations.worker.hooks import choose, shape
from tpuherd_activations.worker.input.files import left_out, streams_in, told_left_out
from tpuherd_activations.worker.input.forms import BUILT_IN
from tpuherd_activations.worker.output.hooks import Hook
from tpuherd_activations.worker.places import open_place

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd.config.spec import JobSpec
    from tpuherd_activations.config import ActivationsSection


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What was seen.

    Attributes:
        estimate: What to expect.
        hooks: What would be stored.
        files: How many files of documents there are.
        text_bytes: About how much text is in them.
        left_out: Files beside them that are not read.
        form: What makes documents of records.
    """

    estimate: Estimate
    hooks: tuple[Hook, ...]
    files: int
    text_bytes: int
    left_out: tuple[str, ...]
    form: str

    def told(self) -> str:
        """The estimate in words."""
        found = self.estimate
        words = [f"about {found.rows:,} rows, {found.size_bytes / 2**30:.2f} GiB"]
        if found.compute_s is not None:
            words.append(f"{found.compute_s / 3600:.2f} h at 30 % of the chips' peak")
        if found.cost_usd is not None:
            words.append(f"{found.cost_usd:.2f} USD")
        made = "" if self.form in BUILT_IN else f" (of the text as it is, before {self.form})"
        return "; ".join(filter(None, [", ".join(words) + made, told_left_out(self.left_out)]))


def survey(
    spec: JobSpec, section: ActivationsSection, scratch: Path, documents: Path | None = None
) -> Survey:
    """Look at the model's configuration and at the sizes of the documents; little else of a bucket is read.

    Args:
        spec: The job.
        section: Its section.
        scratch: A folder of this machine, for what has to be fetched.
        documents: A folder of this machine with what will be the input.

    Raises:
        ConfigError: one of them is not there, or the model has no such hooks.
    """
    try:
        architecture = architecture_of(open_place(section.model), scratch)
        taps = choose(architecture, section.hooks)
        place = open_place(section.input if documents is None else str(documents))
        names = streams_in(place)
        text = text_bytes(place, names, section.field if section.built_in_form else None)
    except (ModelError, DatasetError) as error:
        raise ConfigError(f"activations: {error}") from error
    kind = "BF16" if section.dtype == "bfloat16" else "F32"
    hooks = tuple(Hook(name=name, shape=shape(architecture, name), kind=kind) for name in taps.names)
    found = estimate(
        text,
        architecture,
        taps,
        hooks,
        resolve(spec.tpu.accelerator),
        spec.tpu.zone or "",
        spec.tpu.pricing,
    )
    if found.compute_s is not None:
        found = replace(found, compute_s=found.compute_s / _side_by_side(spec))
    free = spec.cloud == "emulator"
    return Survey(
        estimate=replace(found, cost_usd=None) if free else found,
        hooks=hooks,
        files=len(names),
        text_bytes=text,
        left_out=tuple(left_out(place)),
        form=section.form,
    )


def _side_by_side(spec: JobSpec) -> int:
    """How many slices share the work."""
    if spec.fleet is None:
        return 1
    return spec.fleet.members or spec.fleet.members_per_zone * len(spec.tpu.zones)
