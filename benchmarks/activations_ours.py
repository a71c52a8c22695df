"""The product: the forward pass alone, and the whole extraction as a worker does it."""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from activations_work import Work
    from tpuherd_activations_worker.input.packing import Batch

WORKER = Path(__file__).parents[1] / "plugins" / "workloads" / "tpuherd_activations" / "worker"
PACKAGES = Path(tempfile.mkdtemp(prefix="tpuherd-benchmark-"))
atexit.register(shutil.rmtree, PACKAGES)
(PACKAGES / "tpuherd_activations_worker").symlink_to(WORKER)  # as on the workers: without tpuherd
sys.path.insert(0, str(PACKAGES))

import jax
from tpuherd_activations_worker.claims import Holder
from tpuherd_activations_worker.input.packing import Shapes, pack
from tpuherd_activations_worker.work.dataset import prepare
from tpuherd_activations_worker.work.decoding import decoder_of
from tpuherd_activations_worker.work.preparing import documents_of
from tpuherd_activations_worker.work.running import Worker, run
from tpuherd_activations_worker.work.settings import Settings

PEAK_FLOPS = {"TPU v4": 275e12, "TPU v5 lite": 197e12, "TPU v6 lite": 918e12, "NVIDIA H200": 989e12}
"""Of one device in bfloat16, from the vendors' data sheets."""
BATCH_TOKENS = 2048 if jax.default_backend() == "cpu" else 8192
LONGEST_ROW = 1536


class Ours:
    """A loaded model and the batches of its work."""

    def __init__(self, work: Work) -> None:
        self.work = work
        hooks = tuple(f"blocks.{layer}.hook_resid_post" for layer in work.layers)
        self.settings = Settings(
            model=str(work.model),
            hooks=hooks,
            input=str(work.source),
            output=tempfile.mkdtemp(dir=work.folder),
            form="tokens",
            field="ids",
            dtype=work.dtype,
            batch_tokens=BATCH_TOKENS,
            max_length=LONGEST_ROW,
        )
        self.decoder = decoder_of(self.settings, work.folder)
        self.batches = list(self._batches())
        self.compiled = False

    def _batches(self) -> Iterator[Batch]:
        """Those of the extraction: each part of the plan is packed by itself."""
        multiple = self.decoder.model.placement.row_parts
        shapes = Shapes(max_length=LONGEST_ROW, batch_tokens=BATCH_TOKENS, row_multiple=multiple)
        folder = self.work.folder
        dataset = prepare(self.decoder.content, self.settings.input, tempfile.mkdtemp(dir=folder), folder)
        for part in dataset.plan.parts:
            documents = documents_of(dataset, part, self.decoder.encoder, folder)
            yield from pack([document.ids for document in documents], shapes)

    def warm(self) -> None:
        """Compile for every shape of batch."""
        shapes = {} if self.compiled else {batch.tokens.shape: batch for batch in self.batches}
        for batch in shapes.values():
            jax.block_until_ready(self.decoder(batch.tokens, batch.segments))
        self.compiled = True

    def utilization(self, tokens_per_s: float) -> float | None:
        """The share of the devices' peak that products with weights use; None where the peak is not known."""
        devices = jax.devices()
        peak = PEAK_FLOPS.get(devices[0].device_kind)
        of, taps = self.decoder.model.architecture, self.decoder.taps
        weights = of.parameters(taps.blocks) - of.parameters(0)
        return None if peak is None else 2 * weights * tokens_per_s / (peak * len(devices))


class Bare(Ours):
    """The forward pass over the batches of the extraction, so many at a time: the limit of any pipeline."""

    def __init__(self, work: Work) -> None:
        super().__init__(work)
        self.abreast = self.decoder.model.placement.abreast

    def __call__(self) -> tuple[int, int]:
        with ThreadPoolExecutor(self.abreast) as pool:
            return sum(pool.map(self._tokens, self.batches)), 0

    def _tokens(self, batch: Batch) -> int:
        jax.block_until_ready(self.decoder(batch.tokens, batch.segments))
        return int((batch.segments > 0).sum())


class InTurn(Bare):
    """One batch after the other."""

    def __init__(self, work: Work) -> None:
        super().__init__(work)
        self.abreast = 1


class Extraction(Ours):
    """From JSONL to a finished dataset: plan, claims, packing, files on the disk, checksums, statistics."""

    def __init__(self, work: Work) -> None:
        super().__init__(work)
        self.laps = count()
        self.tokens = sum(map(len, work.documents()))

    def __call__(self) -> tuple[int, int]:
        output = Path(self.settings.output) / str(next(self.laps))
        holder, placement = Holder(job="", worker="w0", attempt=1), self.decoder.model.placement
        worker = Worker(
            holder=holder,
            scratch=self.work.folder,
            row_multiple=placement.row_parts,
            abreast=placement.abreast,
        )
        content, encoder = self.decoder.content, self.decoder.encoder
        run(content, self.settings.input, str(output), worker, encoder, self.decoder, silent, silent)
        return self.tokens, sum(file.stat().st_size for file in output.rglob("*") if file.is_file())


def silent(*_: Any) -> None:
    """Nobody is told of shards."""
