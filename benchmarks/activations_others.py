"""Peers for one hook, measured where they are installed: SAELens' runner and TransformerLens' cache."""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from activations_peer import Hooked
from activations_work import SIZES, TOGETHER

if TYPE_CHECKING:
    from activations_work import Work

CONTEXT = 512
BATCH = TOGETHER * CONTEXT
"""Tokens of a batch, and of a buffer: the runner fills whole buffers, whatever it was asked for."""


class SaeLens:
    """Rows of a fixed length, documents one after another, no positions; stores float32."""

    def __init__(self, work: Work) -> None:
        from datasets import Dataset

        self.work = work
        ids = np.concatenate(work.documents())
        self.rows = ids[: len(ids) // BATCH * BATCH].reshape(-1, CONTEXT)
        self.dataset = Dataset.from_dict({"input_ids": self.rows.tolist()})
        self.runner: Any = None
        self.output = work.folder

    def warm(self) -> None:
        """A new runner with a folder of its own; it loads the model."""
        from sae_lens import CacheActivationsRunner, CacheActivationsRunnerConfig

        self.output = Path(mkdtemp(dir=self.work.folder)) / "rows"
        config = CacheActivationsRunnerConfig(
            dataset_path="",
            model_name=str(self.work.model),
            model_class_name="AutoModelForCausalLM",
            model_from_pretrained_kwargs={"dtype": getattr(torch, self.work.dtype)},
            hook_name=f"model.layers.{self.work.layers[0]}",
            d_in=SIZES[self.work.size].width,
            training_tokens=self.rows.size,
            context_size=CONTEXT,
            model_batch_size=TOGETHER,
            buffer_size_gb=4 * SIZES[self.work.size].width * (BATCH + 0.5) / 1e9,
            prepend_bos=False,
            shuffle=False,
            new_cached_activations_path=str(self.output),
        )
        self.runner = CacheActivationsRunner(config, override_dataset=self.dataset)

    def __call__(self) -> tuple[int, int]:
        self.runner.run()
        sizes = [file.stat().st_size for file in self.output.rglob("*") if file.is_file()]
        return self.rows.size, sum(sizes)


class TransformerLens(Hooked):
    """Its bridge around the same model, one name kept, stopped after that layer; the same files."""

    def __init__(self, work: Work) -> None:
        from transformer_lens.model_bridge import TransformerBridge

        super().__init__(work)
        kind = getattr(torch, work.dtype)
        self.bridge = TransformerBridge.boot_transformers(str(work.model), dtype=kind, device=self.device)
        self.hook = f"blocks.{work.layers[0]}.hook_out"

    def _run(self, tokens: torch.Tensor, mask: torch.Tensor) -> None:
        with torch.inference_mode():
            _, cache = self.bridge.run_with_cache(
                tokens,
                attention_mask=mask.long(),
                names_filter=lambda name: name == self.hook,
                stop_at_layer=self.layers[0] + 1,
            )
        self.found = {self.layers[0]: cache[self.hook]}
