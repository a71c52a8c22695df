"""The peer: `transformers` on torch, forward hooks, stopped after the last one, rows into safetensors."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
import transformers
from activations_work import SIZES, TOGETHER, VOCABULARY
from safetensors.torch import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

if TYPE_CHECKING:
    from activations_work import Work

ROWS_PER_FILE = 8_192


class Enough(Exception):
    """Raised after the last hook, to stop the pass."""


def make(work: Work) -> None:
    """Save a random checkpoint in bfloat16, with a tokenizer that SAELens and TransformerLens ask for."""
    torch.manual_seed(0)
    size = SIZES[work.size]
    config = transformers.Qwen2Config(
        hidden_size=size.width,
        intermediate_size=size.inner,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        num_key_value_heads=size.kv_heads,
        vocab_size=VOCABULARY,
        max_position_embeddings=4096,
        tie_word_embeddings=True,
    )
    transformers.Qwen2ForCausalLM(config).to(torch.bfloat16).save_pretrained(work.model)
    words = Tokenizer(WordLevel({str(word): word for word in range(VOCABULARY)}, unk_token="0"))
    special = dict.fromkeys(("unk_token", "bos_token", "eos_token", "pad_token"), "0")
    transformers.PreTrainedTokenizerFast(tokenizer_object=words, **special).save_pretrained(work.model)


class Hooked:
    """Batches of eight documents, sorted by length and padded on the right; rows are stored as computed."""

    def __init__(self, work: Work) -> None:
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        kind = getattr(torch, work.dtype)
        causal = transformers.AutoModelForCausalLM.from_pretrained(work.model, dtype=kind)
        self.model = causal.model.eval().to(self.device)
        self.layers = work.layers
        for index in work.layers:
            self.model.layers[index].register_forward_hook(self._hook(index))
        documents = sorted(enumerate(work.documents()), key=lambda pair: -len(pair[1]))
        self.batches = [documents[at : at + TOGETHER] for at in range(0, len(documents), TOGETHER)]
        self.output = Path(mkdtemp(dir=work.folder))
        self.found: dict[int, torch.Tensor] = {}

    def __call__(self) -> tuple[int, int]:
        tokens = size = 0
        waiting: list[dict[str, torch.Tensor]] = []
        for at, batch in enumerate(self.batches, 1):
            waiting.append(self._rows(batch))
            rows = sum(len(some["ids"]) for some in waiting)
            if rows >= ROWS_PER_FILE or at == len(self.batches):
                tokens, size, waiting = tokens + rows, size + self._saved(waiting), []
        return tokens, size

    def warm(self) -> None:
        """Nothing is compiled; the first batch is slower than the others."""
        self._rows(self.batches[0])

    def _rows(self, batch: list[tuple[int, np.ndarray]]) -> dict[str, torch.Tensor]:
        """Real tokens only: their ids, documents, positions, and each layer's numbers."""
        width = max(len(ids) for _, ids in batch)
        tokens = torch.zeros((len(batch), width), dtype=torch.long)
        for row, (_, ids) in enumerate(batch):
            tokens[row, : len(ids)] = torch.from_numpy(ids.astype(np.int64))
        lengths = torch.tensor([len(ids) for _, ids in batch])
        mask = torch.arange(width)[None] < lengths[:, None]
        self._run(tokens.to(self.device), mask.to(self.device))
        owners = torch.tensor([document for document, _ in batch])[:, None].expand(-1, width)
        places = torch.arange(width)[None].expand(len(batch), -1)
        found = {str(index): value[mask.to(self.device)].cpu() for index, value in self.found.items()}
        return found | {"ids": tokens[mask].int(), "documents": owners[mask], "positions": places[mask].int()}

    def _run(self, tokens: torch.Tensor, mask: torch.Tensor) -> None:
        self.found = {}
        try:
            with torch.inference_mode():
                self.model(input_ids=tokens, attention_mask=mask.long(), use_cache=False)
        except Enough:
            pass

    def _saved(self, rows: list[dict[str, torch.Tensor]]) -> int:
        """One file per layer and for each index, on the disk; returns their bytes."""
        size = 0
        for name in rows[0]:
            file = self.output / f"{name}.safetensors"
            save_file({name: torch.cat([some[name] for some in rows])}, file)
            with file.open("rb+") as stream:
                os.fsync(stream.fileno())
            size += file.stat().st_size
        return size

    def _hook(self, index: int) -> Any:
        def hook(_layer: Any, _args: Any, out: Any) -> None:
            self.found[index] = out[0] if isinstance(out, tuple) else out
            if index == self.layers[-1]:
                raise Enough

        return hook
