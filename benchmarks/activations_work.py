"""The corpus, its packing, and our decoder over a sample of it."""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[1]
WORKER = ROOT / "plugins" / "workloads" / "tpuherd_activations" / "worker"
LAYERS, VOCABULARY = 12, 32_000
DOCUMENTS, SHORTEST, LONGEST = 2_000, 20, 1_500
WIDTH, SAMPLE = 1_536, 6_000
"""Tokens of a packed row, and about as many of a sample."""
PEAK_FLOPS = {"TPU v4": 275e12, "TPU v5 lite": 197e12, "TPU v6 lite": 918e12, "NVIDIA H200": 989e12}
"""Of one device in bfloat16, from the vendors' data sheets."""


@dataclass(frozen=True)
class Lap:
    tokens: int
    wall_s: float
    cpu_s: float

    @property
    def per_s(self) -> float:
        return self.tokens / self.wall_s

    @property
    def per_cpu_s(self) -> float:
        return self.tokens / self.cpu_s


def timed(run: Callable[[], int]) -> Lap:
    wall, cpu = time.perf_counter(), time.process_time()
    tokens = run()
    return Lap(tokens, time.perf_counter() - wall, time.process_time() - cpu)


def lengths() -> np.ndarray:
    """Of the corpus' documents, longest first: log-uniform."""
    rng = np.random.default_rng(0)
    found = np.exp(rng.uniform(np.log(SHORTEST), np.log(LONGEST), DOCUMENTS))
    return np.sort(found.astype(int))[::-1]


def sample(batches: list[Any], tokens_each: float) -> list[Any]:
    """As many as make `SAMPLE` tokens, evenly from all, so that a sample is like the whole."""
    count = max(1, round(SAMPLE / tokens_each))
    return [batches[index] for index in ((np.arange(count) + 0.5) * len(batches) / count).astype(int)]


def packed() -> list[list[int]]:
    """Documents into rows, each into the first with room for it."""
    rows: list[list[int]] = []
    room: list[int] = []
    for length in lengths():
        index = next((at for at, left in enumerate(room) if left >= length), len(rows))
        if index == len(rows):
            rows.append([])
            room.append(WIDTH)
        rows[index].append(int(length))
        room[index] -= int(length)
    return rows


class Ours:
    """The decoder on JAX, one packed row per device at a time."""

    def __init__(self, folder: Path, dtype: str, hook: str) -> None:
        load = _worker()
        import jax

        self.jax = jax
        self.model = load(folder, dtype=dtype)
        self.taps = self.model.taps(hook)
        rows = packed()
        devices = self.model.placement.row_parts
        chosen = sample(rows, WIDTH) * devices
        self.batches = [self._batch(chosen[at : at + devices]) for at in range(0, len(chosen), devices)]

    def __call__(self) -> int:
        for tokens, segments in self.batches:
            self.jax.block_until_ready(self.model.run(tokens, segments, self.taps))
        return sum(int((segments > 0).sum()) for _tokens, segments in self.batches)

    def _batch(self, rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
        tokens = np.random.default_rng(1).integers(0, VOCABULARY, (len(rows), WIDTH))
        segments = np.zeros_like(tokens)
        for row, documents in enumerate(rows):
            ends = np.cumsum(documents)
            for number, (length, end) in enumerate(zip(documents, ends, strict=True)):
                segments[row, end - length : end] = number + 1
        return tokens, segments


def utilization(ours: Ours, tokens_per_s: float) -> float | None:
    """The share of the devices' peak that the products with weights use; None where the peak is not known."""
    devices = ours.jax.devices()
    peak = PEAK_FLOPS.get(devices[0].device_kind)
    of = ours.model.architecture
    weights = of.parameters(ours.taps.blocks) - of.parameters(0)
    return None if peak is None else 2 * weights * tokens_per_s / (peak * len(devices))


def _worker() -> Any:
    """The worker side's `load`, from a package of its own, as on the workers."""
    folder = Path(tempfile.mkdtemp())
    (folder / "tpuherd_activations_worker").symlink_to(WORKER)
    sys.path.insert(0, str(folder))
    from tpuherd_activations_worker.model.load import load

    return load
