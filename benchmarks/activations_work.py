"""What the tools of `activations.py` share: the checkpoints, the documents, the hooks, and a clock."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

VOCABULARY, LONGEST, SHORTEST, DOCUMENTS = 32_000, 1_500, 20, 2_000
TOGETHER = 8
"""Documents of a batch of the peers, which pad."""


@dataclass(frozen=True)
class Size:
    """Of a checkpoint of Qwen2's shape; `tokens` is about how many a lap has: four shards of the tiny one."""

    width: int
    inner: int
    layers: int
    heads: int
    kv_heads: int
    tokens: int


SIZES = {"tiny": Size(256, 704, 6, 4, 2, 130_000), "m100": Size(768, 2048, 12, 12, 4, 18_000)}


@dataclass(frozen=True)
class Work:
    """One tool's task: `hooks` is `one` (after the middle block) or `all` (after every block)."""

    folder: Path
    size: str
    dtype: str
    hooks: str

    @property
    def layers(self) -> list[int]:
        count = SIZES[self.size].layers
        return list(range(count)) if self.hooks == "all" else [count // 2]

    @property
    def model(self) -> Path:
        return self.folder / self.size

    @property
    def source(self) -> Path:
        return self.folder / f"{self.size}-documents"

    def documents(self) -> list[np.ndarray]:
        lines = (self.source / "documents.jsonl").read_text().splitlines()
        return [np.asarray(json.loads(line)["ids"], np.int32) for line in lines]


@dataclass(frozen=True)
class Lap:
    """One run; `size_bytes` is what was stored, `peak_bytes` the process' resident memory at its most."""

    tokens: int
    size_bytes: int
    wall_s: float
    cpu_s: float
    peak_bytes: int


def timed(run: Callable[[], tuple[int, int]]) -> Lap:
    """Run once; the function returns tokens and stored bytes."""
    wall, cpu = time.perf_counter(), time.process_time()
    tokens, size = run()
    wall_s, cpu_s = time.perf_counter() - wall, time.process_time() - cpu
    return Lap(tokens, size, wall_s, cpu_s, peak_bytes())


def peak_bytes() -> int:
    """Of this program; `getrusage` would count the one that has started it."""
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line)
    return int(line.split()[1]) * 1024


def write_documents(work: Work) -> None:
    """Token ids as JSONL: batches of the whole corpus, evenly chosen, so that padding is as in the whole."""
    rng = np.random.default_rng(0)
    lengths = np.exp(rng.uniform(np.log(SHORTEST), np.log(LONGEST), DOCUMENTS)).astype(int)
    batches = np.split(np.sort(lengths)[::-1], DOCUMENTS // TOGETHER)
    count = max(1, round(SIZES[work.size].tokens / (lengths.mean() * TOGETHER)))
    chosen = ((np.arange(count) + 0.5) * len(batches) / count).astype(int)
    taken = np.concatenate([batches[index] for index in chosen])
    rng.shuffle(taken)
    work.source.mkdir()
    with (work.source / "documents.jsonl").open("w") as stream:
        for length in taken:
            stream.write(json.dumps({"ids": rng.integers(0, VOCABULARY, length).tolist()}) + "\n")
