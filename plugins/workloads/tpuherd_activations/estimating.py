"""What an extraction takes, before anything runs: rows, bytes, time and money, all of them estimates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd.prices import Pricing, price_per_chip_hour
from tpuherd_activations.worker.work.dataset import TEXT_BYTES_PER_TOKEN
from tpuherd_activations.worker.work.room import INDEX_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.accelerators import Accelerator
    from tpuherd_activations.worker.architecture import Architecture
    from tpuherd_activations.worker.hooks import Taps
    from tpuherd_activations.worker.output.hooks import Hook

UTILIZATION = 0.3
"""Of the chips' peak, assumed; measure with a small run."""
PEAK_FLOPS = {"v4": 275e12, "v5e": 197e12, "v5p": 459e12, "v6e": 918e12}
"""Of one chip in bfloat16, from the vendor's data sheets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What to expect.

    Attributes:
        rows: Tokens of the input.
        size_bytes: Of the dataset.
        compute_s: Of all chips together, one beside the other; None if the chip's peak is not known.
        cost_usd: Of the chips for that time; None if there is no price for them.
    """

    rows: int
    size_bytes: int
    compute_s: float | None
    cost_usd: float | None


def sizes(text_bytes: int, hooks: Sequence[Hook]) -> tuple[int, int]:
    """About how many rows, and how many bytes of dataset, a text makes."""
    rows = text_bytes // TEXT_BYTES_PER_TOKEN
    return rows, rows * (INDEX_BYTES + sum(hook.row_bytes for hook in hooks))


def estimate(
    text_bytes: int,
    architecture: Architecture,
    taps: Taps,
    hooks: Sequence[Hook],
    accelerator: Accelerator,
    zone: str,
    pricing: Pricing,
) -> Estimate:
    """Estimate a run on one slice; products with weights are counted, attention is not.

    Args:
        text_bytes: Of the input.
        architecture: Of the model.
        taps: What is asked for: it decides how many blocks run.
        hooks: What is stored.
        accelerator: The slice.
        zone: Where it is.
        pricing: How it is paid for.
    """
    rows, size = sizes(text_bytes, hooks)
    weights = architecture.parameters(taps.blocks) - architecture.parameters(0)
    peak = PEAK_FLOPS.get(accelerator.generation)
    compute = 2 * weights * rows / (peak * accelerator.chips * UTILIZATION) if peak else None
    price = price_per_chip_hour(accelerator.generation, zone, pricing, chips=accelerator.chips)
    cost = compute / 3600 * accelerator.chips * price if compute is not None and price is not None else None
    return Estimate(rows=rows, size_bytes=size, compute_s=compute, cost_usd=cost)
