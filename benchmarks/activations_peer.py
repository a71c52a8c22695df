"""The peer: `transformers` on torch, forward hooks, stopped after the last one; batches of like lengths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import activations_work as work
import numpy as np
import torch
import transformers

if TYPE_CHECKING:
    from pathlib import Path

BATCH = 8


class Enough(Exception):
    """Raised after the last hook, to stop the pass."""


def make(folder: Path) -> None:
    """Save a random checkpoint: Qwen2's shape, 100M parameters, bfloat16."""
    torch.manual_seed(0)
    config = transformers.Qwen2Config(
        hidden_size=768,
        intermediate_size=2048,
        num_hidden_layers=work.LAYERS,
        num_attention_heads=12,
        num_key_value_heads=4,
        vocab_size=work.VOCABULARY,
        max_position_embeddings=4096,
        tie_word_embeddings=True,
    )
    transformers.Qwen2ForCausalLM(config).to(torch.bfloat16).save_pretrained(folder)


class Hooked:
    """Run batches of eight documents, sorted by length and padded on the right."""

    def __init__(self, folder: Path, dtype: str, *, every: bool) -> None:
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        kind = getattr(torch, dtype)
        causal = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=kind)
        self.model = causal.model.eval().to(self.device)
        self.last = work.LAYERS - 1 if every else work.LAYERS // 2
        for index in range(work.LAYERS) if every else [self.last]:
            self.model.layers[index].register_forward_hook(self._hook(index))
        batches = np.split(work.lengths(), work.DOCUMENTS // BATCH)
        self.batches = work.sample(batches, work.lengths().sum() / len(batches))
        self.kept: list[torch.Tensor] = []

    def __call__(self) -> int:
        for lengths in self.batches:
            self._run(lengths)
        return int(sum(lengths.sum() for lengths in self.batches))

    def _run(self, lengths: np.ndarray) -> None:
        self.kept = []
        width = int(lengths.max())
        tokens = torch.randint(0, work.VOCABULARY, (len(lengths), width), device=self.device)
        mask = torch.arange(width)[None] < torch.from_numpy(lengths.copy())[:, None]
        try:
            with torch.inference_mode():
                self.model(input_ids=tokens, attention_mask=mask.long().to(self.device), use_cache=False)
        except Enough:
            pass
        if self.device == "cuda":
            torch.cuda.synchronize()

    def _hook(self, index: int) -> Any:
        def hook(_layer: Any, _args: Any, out: Any) -> None:
            self.kept.append(out[0] if isinstance(out, tuple) else out)
            if index == self.last:
                raise Enough

        return hook
